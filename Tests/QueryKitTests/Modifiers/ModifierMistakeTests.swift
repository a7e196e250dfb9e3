import QueryKit
import QueryKitTesting
import TestSupport
import Testing

struct PollingMistakeTests {
    private let mistakes = Recorder<QueryMistake>()

    private func observe(_ requests: [some QueryRequest<Int, QueryState<Int?, Int>>]) async {
        let bench = TestBench(configuration: .recording(mistakes))
        let subscriptions = requests.map { bench.client.store(for: $0).record(Recorder()) }
        await bench.client.settled()
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R32 a polling interval below the minimum is reported once, with the minimum`() async throws {
        await observe((1...3).map { Number($0).polling(every: .milliseconds(20)) })
        #expect(mistakes.kinds == [.pollingInterval])
        let mistake = try #require(mistakes.last)
        #expect(mistake.path == ["number", 1])
        #expect(
            mistake.message == """
                The request number/1 polls every 0.02 seconds, but triggers start at most ten runs per second. Write \
                polling(every: .milliseconds(100)) or a longer interval. For data that changes faster, use a StreamRequest.
                """
        )
    }

    @Test(arguments: [Duration.milliseconds(100), .seconds(60), .zero, .seconds(-1)])
    func `R32 polling at or above the minimum interval, or turned off, is not reported`(_ interval: Duration) async {
        await observe([Number().polling(every: interval)])
        #expect(mistakes.count == 0)
    }
}

struct FreshUntilChangedMistakeTests {
    private static let shelf = QueryRegion(source: "shelf")
    private let mistakes = Recorder<QueryMistake>()

    private func bench(_ behavior: @escaping Backend.Behavior) -> TestBench {
        TestBench(configuration: .recording(mistakes), behavior)
    }

    @Test(arguments: [true, false])
    func `R32 a freshUntilChanged run that notes no region is reported once per type of request`(_ isShared: Bool)
        async throws
    {
        let bench = bench { $0.number }
        for id in 1...3 { _ = try await bench.client.fetch(Number(id).freshUntilChanged().deduplicated(isShared)) }
        let subscription = bench.client.store(for: Number(4).freshUntilChanged()).record(Recorder())
        await bench.client.settled()
        #expect(mistakes.kinds == [.nothingToFollow])
        let mistake = try #require(mistakes.last)
        #expect(mistake.path == ["number", 1])
        #expect(
            mistake.message == """
                The request number/1 is freshUntilChanged(), but its fetch has read nothing that reports changes, so its value stays fresh \
                forever. Call QueryReads.note(_:) where the fetch reads and client.changed(_:) after a write, or use ttl(_:) instead. If it \
                reads a database, read it in the task of the fetch, and don't set isFollowed = false.
                """
        )
        subscription.cancel()
    }

    @Test(arguments: [true, false])
    func `R32 a run that notes a region is not reported`(_ isShared: Bool) async throws {
        let bench = bench { call in
            QueryReads.note([Self.shelf])
            return call.number
        }
        _ = try await bench.client.fetch(Number().freshUntilChanged().deduplicated(isShared))
        let subscription = bench.client.store(for: Number(2).freshUntilChanged()).record(Recorder())
        await bench.client.settled()
        #expect(mistakes.count == 0)
        subscription.cancel()
    }

    @Test func `R32 a run that takes another request's value is not reported, whether the value is fetched or cached`() async throws {
        let bench = bench { call in
            if call.id > 10 {
                QueryReads.note([Self.shelf])
                return call.number
            }
            let client = try #require(call.context.queryClient)
            return try await client.fetch(Number(11).freshUntilChanged())
        }
        _ = try await bench.client.fetch(Number(1).freshUntilChanged())
        _ = try await bench.client.fetch(Number(2).freshUntilChanged())
        #expect(bench.backend.fetched == [1, 11, 2])
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a run that notes no region is not reported if an earlier run noted one`() async throws {
        let bench = bench { call in
            if call.number == 1 { QueryReads.note([Self.shelf]) }
            return call.number
        }
        let store = bench.client.store(for: Number().freshUntilChanged())
        _ = try await store.fetch()
        _ = try await store.fetch()
        #expect(bench.backend.count == 2)
        #expect(mistakes.count == 0)
    }

    @Test func `R32 failed and cancelled runs are not reported`() async throws {
        let gate = Gate()
        let bench = bench { call in
            if call.id == 1 { throw TestError() }
            try? await gate.pass()
            return call.number
        }
        await #expect(throws: TestError.self) { try await bench.client.fetch(Number(1).freshUntilChanged()) }
        let caller = Task { try await bench.client.fetch(Number(2).freshUntilChanged()) }
        await gate.arrived()
        bench.client.cancel(["number", 2])
        gate.open()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await bench.client.settled()
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a freshUntilChanged request that depends on another request is not reported`() async throws {
        let bench = bench { $0.number }
        _ = try await bench.client.fetch(Number(1).freshUntilChanged().dependent(on: Number(2)))
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a fresh value from a cache is not reported`() async throws {
        let cache = MemoryQueryCache()
        let first = bench { $0.number }
        _ = try await first.client.fetch(Number().ttl(.infinity).persisted(in: cache))
        await first.client.settled()
        let second = bench { _ in throw TestError("fetched") }
        #expect(try await second.client.fetch(Number().freshUntilChanged().persisted(in: cache)) == 1)
        #expect(second.backend.count == 0)
        #expect(mistakes.count == 0)
    }

    @Test func `R32 a run that notes no region is not reported if an outer modifier limits its ttl`() async throws {
        let bench = bench { $0.number }
        _ = try await bench.client.fetch(Number(1).freshUntilChanged().ttl(.seconds(5)))
        _ = try await bench.client.fetch(Number(2).freshUntilChanged().ttl { _ in .seconds(5) })
        #expect(mistakes.count == 0)
        _ = try await bench.client.fetch(Number(3).ttl { _ in .seconds(5) }.freshUntilChanged())
        #expect(mistakes.kinds == [.nothingToFollow])
    }
}
