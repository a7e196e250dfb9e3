import QueryKit
import QueryKitTesting
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Clients of one diary, with the mistakes they report.
private struct Bench: Sendable {
    let diary: Diary
    let mistakes = Recorder<QueryMistake>()

    init(isFollowed: Bool = true) async throws {
        var configuration = Diary.configuration
        configuration.isFollowed = isFollowed
        diary = Diary(
            database: try await SQLiteDatabase.open(.temporary, migrations: Diary.migrations, configuration: configuration)
        )
    }

    func client(_ behavior: Backend.Behavior? = nil) -> TestBench {
        TestBench(configuration: .recording(mistakes)) { [diary] call in
            if let behavior { return try await behavior(call) }
            return try await diary.result(of: Diary.Query(rawValue: call.id) ?? .food)
        }
    }
}

struct ConnectionMistakeTests {
    private var food: some QueryRequest<Int, QueryState<Int?, Int>> { Number(Diary.Query.food.rawValue).ttl(.infinity) }
    private var notes: some QueryRequest<Int, QueryState<Int?, Int>> { Number(Diary.Query.notes.rawValue).ttl(.infinity) }

    @Test func `R32 a read by an unconnected client is reported once, with the fix`() async throws {
        let bench = try await Bench()
        let client = bench.client().client
        await client.prefetch(food)
        await client.settled()
        _ = try await client.fetch(notes)
        #expect(bench.mistakes.kinds == [.unconnectedDatabase])
        let mistake = try #require(bench.mistakes.last)
        #expect(mistake.path == food.path)
        #expect(
            mistake.message == """
                The request number/2 has read the database "diary", and its client isn't connected to it, so no commit makes the request run \
                again. Call client.connect(to: database) before the first fetch. If requests needn't follow the database, set \
                isFollowed = false in its configuration.
                """
        )
    }

    @Test func `R32 an unconnected read is reported in the task of the request, where a test can record an issue`() async throws {
        let bench = try await Bench()
        let inTasks = Recorder<Bool>()
        var configuration = QueryClient.Configuration.isolated
        configuration.onMistake = { _ in inTasks.note(withUnsafeCurrentTask { $0 != nil }) }
        let test = TestBench(configuration: configuration) { [diary = bench.diary] _ in try await diary.result(of: .food) }
        _ = try await test.client.fetch(food)
        #expect(inTasks.all == [true])
    }

    @Test func `R32 of two clients only the one that reads without being connected is reported`() async throws {
        let bench = try await Bench()
        let (connected, other) = (bench.client().client, bench.client().client)
        connected.connect(to: bench.diary.database)
        for _ in 1...2 {
            _ = try await connected.fetch(food)
            _ = try await connected.store(for: notes).fetch()
        }
        #expect(bench.mistakes.count == 0)
        _ = try await other.fetch(food)
        _ = try await connected.store(for: food).fetch()
        _ = try await other.store(for: notes).fetch()
        #expect(bench.mistakes.kinds == [.unconnectedDatabase])
    }

    @Test func `R32 two connected clients that alternate are not reported, nor one after the other was deallocated`() async throws {
        let bench = try await Bench()
        let kept = bench.client().client
        do {
            let released = bench.client().client
            for client in [kept, released] { client.connect(to: bench.diary.database.reader) }
            for client in [kept, released, kept, released] { _ = try await client.store(for: food).fetch() }
        }
        _ = try await kept.store(for: food).fetch()
        #expect(bench.mistakes.count == 0)
        // The remaining client is still connected: a commit reaches it.
        try await bench.diary.addFood()
        await kept.settled()
        #expect(kept.store(for: food).isStale)
    }

    @Test(arguments: [false, true])
    func `R32 a database with isFollowed false is not reported, and its connected clients follow it`(_ hasFollower: Bool) async throws {
        let bench = try await Bench(isFollowed: false)
        let (follower, client) = (bench.client().client, bench.client().client)
        if hasFollower { follower.connect(to: bench.diary.database) }
        _ = try await follower.fetch(food)
        _ = try await client.fetch(food)
        try await bench.diary.addFood()
        await follower.settled()
        #expect(follower.store(for: food).isStale == hasFollower)
        #expect(bench.mistakes.count == 0)
    }

    @Test(arguments: [false, true])
    func `R32 reads outside of runs, by mutations, in writes and after a run are not reported`(_ isAnotherConnected: Bool) async throws {
        struct Count: MutationRequest {
            let diary: Diary
            var path: QueryPath { "count" }
            static func == (left: Count, right: Count) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
            func mutate(with _: Void, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await diary.addFood()
                return try await diary.result(of: .food)
            }
        }
        let bench = try await Bench()
        let other = bench.client().client
        if isAnotherConnected { other.connect(to: bench.diary.database) }
        let (gate, left) = (Gate(), Lock<Task<Int, any Error>?>(nil))
        let test = bench.client { [diary = bench.diary] call in
            if call.id == 1 {
                return try await diary.database.write { db in
                    try db.execute("UPDATE food SET id = id + 100 WHERE id > 5")
                    return try db.value(Int.self, "SELECT count(*) FROM food") ?? 0
                }
            }
            // It continues after the run that started it.
            let task = Task {
                try await gate.pass()
                return try await diary.result(of: .food)
            }
            left.withLock { $0 = task }
            return 0
        }
        _ = try await bench.diary.result(of: .food)
        #expect(
            try await QueryReads.collecting { try await bench.diary.result(of: .food) }.regions == [
                QueryRegion(source: "diary", name: "food")
            ]
        )
        _ = try await test.client.mutate(Count(diary: bench.diary), with: ())
        _ = try await test.client.fetch(Number(1))
        _ = try await test.client.fetch(Number(2))
        gate.open()
        _ = try await left.withLock(\.self)?.value
        #expect(bench.mistakes.count == 0)
    }

    @Test func `R32 a store whose client is deallocated is not reported`() async throws {
        let bench = try await Bench()
        var client: QueryClient? = bench.client().client
        client?.connect(to: bench.diary.database)
        let store = try #require(client?.store(for: food))
        client = nil
        _ = try? await store.fetch()
        #expect(bench.mistakes.count == 0)
    }

    @Test func `R32 file-based caches and journals are not reported`() async throws {
        let bench = try await Bench()
        let cache = try await SQLiteQueryCache.open(.temporary)
        let client = bench.client { $0.number }.client
        let request = Number(1).persisted(in: cache)
        for _ in 1...2 {
            _ = try await client.fetch(request)
            await client.settled()
            client.store(for: request).reset()
        }
        #expect(bench.mistakes.count == 0)
        await cache.close()
    }

    // MARK: Late connections

    @Test func `R32 a client connected late is reported, and the requests that read the database run again`() async throws {
        let bench = try await Bench()
        let test = bench.client { [diary = bench.diary] call in
            switch call.id {
            case 1: return 7
            case 2: return try await diary.result(of: .food)
            default: return try await call.context.queryClient?.fetch(Number(2).ttl(.infinity)) ?? 0
            }
        }
        let requests = (1...4).map { Number($0).ttl(.infinity) }
        _ = try await test.client.fetch(requests[3])
        let subscriptions = requests[..<3].map { test.client.store(for: $0).record(Recorder()) }
        await test.client.settled()
        // The client is not notified of this write.
        try await bench.diary.addFood()
        await test.client.settled()
        #expect(test.client.value(for: requests[1]) == 0)
        test.client.connect(to: bench.diary.database)
        test.client.connect(to: bench.diary.database)
        await test.client.settled()
        #expect(bench.mistakes.kinds == [.unconnectedDatabase, .lateConnection])
        #expect(
            bench.mistakes.last?.message == """
                The client was connected to the database "diary" after its requests had read it. They are out of date now, and those with \
                observers run again. Call client.connect(to: database) before the first fetch.
                """
        )
        #expect(requests.map { test.client.value(for: $0) } == [7, 1, 1, 0])
        #expect(requests.map { test.client.store(for: $0).isStale } == [false, false, false, true])
        // From now on it follows the database.
        try await bench.diary.addFood()
        await test.client.settled()
        #expect(requests.map { test.client.value(for: $0) } == [7, 2, 2, 0])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R32 a run under way while its client is connected runs again`() async throws {
        let bench = try await Bench()
        let gate = Gate()
        let test = bench.client { [diary = bench.diary] call in
            let count = try await diary.result(of: .food)
            if call.number == 1 { try await gate.pass() }
            return count
        }
        let subscription = test.client.store(for: food).record(Recorder())
        await gate.arrived()
        try await bench.diary.addFood()
        test.client.connect(to: bench.diary.database)
        gate.open()
        await test.client.settled()
        #expect(test.client.value(for: food) == 1)
        #expect(test.backend.count == 2)
        subscription.cancel()
    }

    @Test func `R32 a client connected inside a fetch that has already read runs the request once more`() async throws {
        let bench = try await Bench()
        let test = bench.client { [diary = bench.diary] call in
            let count = try await diary.result(of: .food)
            call.context.queryClient?.connect(to: diary.database)
            return count
        }
        let subscription = test.client.store(for: food).record(Recorder())
        await test.client.settled()
        #expect(test.backend.count == 2)
        #expect(bench.mistakes.kinds == [.unconnectedDatabase, .lateConnection])
        subscription.cancel()
    }

    @Test func `R32 a connection is not late if the client has read another database, or this one only outside of its runs`() async throws {
        let (bench, other) = (try await Bench(), try await Bench())
        let client = bench.client { [diary = other.diary] _ in try await diary.result(of: .food) }.client
        client.connect(to: other.diary.database)
        let subscription = client.store(for: food).record(Recorder())
        await client.settled()
        _ = try await bench.diary.result(of: .food)
        client.connect(to: bench.diary.database)
        await client.settled()
        #expect(bench.mistakes.count == 0)
        #expect(client.store(for: food).state.valueUpdateCount == 1)
        subscription.cancel()
    }
}
