import Dispatch
import Foundation
import QueryKit
import QueryKitTesting
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct ConnectionTests {
    @Test func `R18 a commit reruns the requests that read the table, through all layers, and no others`() async throws {
        let bench = try await DiaryBench.make()
        let seen = Recorder<String>()
        let watched = bench.store(.food).record(seen)
        let others = await bench.watch(.entries, .both, .notes)
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "0", "0 fetching invalidated", "1"])
        #expect(bench.counts(.food, .both, .entries, .notes) == [2, 2, 1, 1])
        #expect(bench.store(.both).value == 1)
        #expect(bench.store(.food).state.cause == .regionChanged)
        #expect(bench.store(.food).state.cause.region == QueryRegion(source: "diary", name: "food", row: "1"))
        for subscription in others + [watched] { subscription.cancel() }
    }

    @Test func `R27 a run's event has the region that caused it`() async throws {
        let bench = try await DiaryBench.make()
        let events = bench.client.events
        let watched = await bench.watch(.monday)
        try await bench.diary.addEntry()
        await bench.client.settled()
        var causes: [String] = []
        for await event in events where event.kind == .runStarted {
            causes.append(event.cause.unredacted)
            if causes.count == 2 { break }
        }
        #expect(causes == ["subscribed", "regionChanged(diary/entries/monday#1)"])
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 D5 a write to one partition does not rerun queries of another`() async throws {
        let bench = try await DiaryBench.make()
        let watched = await bench.watch(.monday, .tuesday, .entries)
        try await bench.diary.addEntry(on: "monday")
        await bench.client.settled()
        #expect(bench.counts(.monday, .tuesday, .entries) == [2, 1, 2])
        try await bench.diary.database.write { db in try db.execute("UPDATE entries SET day = 'tuesday'") }
        await bench.client.settled()
        // The number of entries stays the same.
        #expect(bench.counts(.monday, .tuesday, .entries) == [3, 2, 2])
        #expect(bench.store(.monday).value == 0 && bench.store(.tuesday).value == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R12 a request that reads the database gets its value without a network and follows commits`() async throws {
        let diary = try await Diary.open()
        let network = ManualNetworkObserver(isOnline: false)
        let bench = TestBench(network: network) { _ in
            try await diary.result(of: .food)
        } adjusting: { context in
            context.networkMode = QueryContext().networkMode
        }
        bench.client.connect(to: diary.database)
        let store = bench.client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(store.value == 0 && !store.isPaused)
        try await diary.addFood()
        await bench.client.settled()
        #expect(store.value == 1)
        subscription.cancel()
    }

    @Test func `R18 D4 a write that is rolled back reruns nothing`() async throws {
        let bench = try await DiaryBench.make()
        let watched = await bench.watch(.food)
        await #expect(throws: TestError.self) {
            try await bench.diary.database.write { db in
                try db.execute("INSERT INTO food DEFAULT VALUES")
                throw TestError()
            }
        }
        await bench.client.settled()
        #expect(bench.count(.food) == 1)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 R14 without observers a commit only marks, and the next observer sees the new rows`() async throws {
        let bench = try await DiaryBench.make()
        _ = try await bench.store(.food).fetch()
        _ = try await bench.store(.entries).fetch()
        try await bench.diary.addFood()
        await bench.client.settled()
        #expect(bench.store(.food).isStale && !bench.store(.entries).isStale)
        #expect(bench.count(.food) == 1)
        #expect(try await bench.client.fetch(Number(Diary.Query.food.rawValue).ttl(.infinity)) == 1)
    }

    @Test func `R18 D5 a change of the schema reruns everything`() async throws {
        let bench = try await DiaryBench.make()
        let watched = await bench.watch(.food, .monday, .notes)
        try await bench.diary.database.write { db in try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY) STRICT") }
        await bench.client.settled()
        #expect(bench.counts(.food, .monday, .notes) == [2, 2, 2])
        #expect(bench.store(.food).state.cause.region == QueryRegion(source: "diary"))
        for subscription in watched { subscription.cancel() }
    }

    // MARK: Commits during a run

    @Test func `R18 a commit between the snapshot of a read and its later statement is not missed`() async throws {
        let diary = try await Diary.open()
        let (reached, arrival) = AsyncStream<Void>.makeStream()
        let goesOn = DispatchSemaphore(value: 0)
        let bench = TestBench { call in
            guard call.id == 1 else { return try await diary.result(of: .food) }
            return try await diary.database.read { db in
                let entries = try db.value(Int.self, "SELECT count(*) FROM entries") ?? 0
                if call.number <= 2 {
                    arrival.yield()
                    goesOn.wait()
                }
                return try entries * 100 + (db.value(Int.self, "SELECT count(*) FROM food") ?? 0)
            }
        }
        bench.client.connect(to: diary.database)
        let seen = Recorder<String>()
        let food = bench.client.store(for: Number(2).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        let both = bench.client.store(for: Number(1).ttl(.infinity)).record(seen)
        for await _ in reached { break }
        // It is not known yet that the run reads this table, and its snapshot does not include the row.
        try await diary.addFood()
        goesOn.signal()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "loading invalidated", "0 fetching invalidated", "1"])
        // The request that was notified in time has not run twice for it.
        #expect(bench.backend.fetched == [2, 1, 2, 1])
        for subscription in [food, both] { subscription.cancel() }
    }

    @Test func `R18 a read that throws is run again after a commit between its snapshot and its later statement`() async throws {
        let diary = try await Diary.open()
        let (reached, arrival) = AsyncStream<Void>.makeStream()
        let goesOn = DispatchSemaphore(value: 0)
        let bench = TestBench { call in
            try await diary.database.read { db in
                _ = try db.value(Int.self, "SELECT count(*) FROM entries")
                if call.number == 1 {
                    arrival.yield()
                    goesOn.wait()
                }
                guard let count = try db.value(Int.self, "SELECT count(*) FROM food"), count > 0 else { throw TestError() }
                return count
            }
        }
        bench.client.connect(to: diary.database)
        let food = bench.client.store(for: Number(1).retry(limit: 0).ttl(.infinity)).record(Recorder())
        for await _ in reached { break }
        try await diary.addFood()
        goesOn.signal()
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == 1)
        #expect(bench.backend.fetched == [1, 1])
        food.cancel()
    }

    @Test func `R18 a run whose write throws is run again after a commit to a table that the write has read`() async throws {
        let diary = try await Diary.open()
        let bench = TestBench { _ in
            try await diary.database.write { db in
                try db.execute("INSERT INTO notes DEFAULT VALUES")
                guard let count = try db.value(Int.self, "SELECT count(*) FROM food"), count > 0 else { throw TestError() }
                return count
            }
        }
        bench.client.connect(to: diary.database)
        let food = bench.client.store(for: Number(1).retry(limit: 0).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.fetched == [1])
        try await diary.database.write { db in try db.execute("INSERT INTO notes DEFAULT VALUES") }
        await bench.client.settled()
        #expect(bench.backend.fetched == [1])
        try await diary.addFood()
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == 1)
        #expect(bench.backend.fetched == [1, 1])
        food.cancel()
    }

    @Test func `R18 a run that catches the error of a file that can't be opened runs again after the next commit`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE food (id INTEGER PRIMARY KEY)")
        let bench = TestBench { _ in (try? await database.count("SELECT count(*) FROM food")) ?? -1 }
        bench.client.connect(to: database)
        await database.suspend()
        let aside = folder.path("aside")
        try FileManager.default.moveItem(atPath: folder.path(), toPath: aside)
        try FileManager.default.createDirectory(atPath: folder.path(), withIntermediateDirectories: false)
        database.resume()
        let food = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == -1)
        try FileManager.default.removeItem(atPath: folder.path())
        try FileManager.default.moveItem(atPath: aside, toPath: folder.path())
        try await database.execute("INSERT INTO food VALUES (1)")
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == 1)
        food.cancel()
        await database.close()
    }

    @Test func `R18 a run that catches the error of a transaction that can't begin runs again after the next commit`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE food (id INTEGER PRIMARY KEY)") {
            $0.busyTimeout = .zero
        }
        let bench = TestBench { _ in
            let count = try? await database.write { db in try db.value(Int.self, "SELECT count(*) FROM food") }
            return count ?? -1
        }
        bench.client.connect(to: database)
        let other = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
        try other.run("BEGIN IMMEDIATE")
        let food = bench.client.store(for: Number(1).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == -1)
        try other.run("ROLLBACK")
        try await database.execute("INSERT INTO food VALUES (1)")
        await bench.client.settled()
        #expect(bench.client.value(for: Number(1)) == 1)
        #expect(bench.backend.fetched == [1, 1])
        food.cancel()
        await database.close()
    }

    @Test(arguments: [false, true])
    func `R18 a run that catches an error of BEGIN runs again after the next commit, even if a statement could have caused the error`(
        _ writes: Bool
    ) async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE food (id INTEGER PRIMARY KEY)") { $0.readerCount = 1 }
        let bench = TestBench { call in
            // SQLite refuses to begin a transaction within another one.
            if call.number == 1 {
                _ = try await database.core.lanes.value(writes ? .write : .read) { try $0.run(.begin) }
            }
            let count: SQL = "SELECT count(*) FROM food"
            do {
                if writes { return try await database.write { db in try db.value(Int.self, count) } ?? -2 }
                return try await database.count(count) ?? -2
            } catch let error as SQLiteError {
                #expect(error.code == .error)
                return -1
            }
        }
        bench.client.connect(to: database)
        let request = Number(1).ttl(.infinity)
        let food = bench.client.store(for: request).record(Recorder())
        await bench.client.settled()
        #expect(bench.client.value(for: request) == -1)
        try await database.execute("INSERT INTO food VALUES (1)")
        await bench.client.settled()
        #expect(bench.client.value(for: request) == 1)
        #expect(bench.backend.fetched == [1, 1])
        food.cancel()
        await database.close()
    }

    @Test func `R18 a run that writes is not rerun by its own commit, whether it reads in the same transaction or after it`()
        async throws
    {
        let diary = try await Diary.open()
        let bench = TestBench { call in
            // It would continue forever, so it ends here.
            if call.number > 20 { throw TestError() }
            switch call.id {
            case 1:
                return try await diary.database.write { db in
                    try db.execute("INSERT INTO notes DEFAULT VALUES")
                    return try db.value(Int.self, "SELECT count(*) FROM notes") ?? 0
                }
            default:
                try await diary.addFood()
                return try await diary.result(of: .food)
            }
        }
        bench.client.connect(to: diary.database)
        let watched = [1, 2].map { bench.client.store(for: Number($0).retry(limit: 0)).record(Recorder()) }
        await bench.client.settled()
        #expect(bench.backend.fetched.sorted() == [1, 2])
        // Both have read their tables before, and another connection changes them.
        try await diary.database.write { db in try db.execute("INSERT INTO notes DEFAULT VALUES") }
        await bench.client.settled()
        #expect(bench.backend.fetched.sorted() == [1, 1, 2])
        try await diary.addFood()
        await bench.client.settled()
        #expect(bench.backend.fetched.sorted() == [1, 1, 2, 2])
        #expect(bench.client.value(for: Number(1)) == 3 && bench.client.value(for: Number(2)) == 3)
        for subscription in watched { subscription.cancel() }
    }

    @Test func `R18 a commit of one run reruns another that has read the table`() async throws {
        let diary = try await Diary.open()
        let bench = TestBench { call in
            if call.id == 1 { try await diary.addFood() }
            return try await diary.result(of: .food)
        }
        bench.client.connect(to: diary.database)
        let reader = bench.client.store(for: Number(2).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        #expect(try await bench.client.fetch(Number(1)) == 1)
        await bench.client.settled()
        #expect(bench.client.value(for: Number(2)) == 1)
        reader.cancel()
    }

    // MARK: Mutations

    /// Adds food to the database, and invalidates nothing itself.
    private struct AddFood: MutationRequest {
        let diary: Diary
        let gate: Gate

        var path: QueryPath { ["add food"] }

        static func == (left: AddFood, right: AddFood) -> Bool { left.gate === right.gate }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(gate)) }

        func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            try await diary.addFood()
            try await gate.pass()
            return amount
        }

        func optimistic(with amount: Int, in layers: inout QueryLayers) {
            layers.update(Number(Diary.Query.food.rawValue)) { $0 += amount }
        }
    }

    @Test func `R22 R18 a mutation's layers are removed by the refetch that its own commit causes`() async throws {
        let bench = try await DiaryBench.make()
        let seen = Recorder<Int?>()
        let store = bench.store(.food)
        let watched = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
        await bench.client.settled()
        let gate = Gate()
        async let added = bench.client.mutate(AddFood(diary: bench.diary, gate: gate), with: 1)
        await gate.arrived()
        // The refetch lands while the mutation is still running, and counts the food once.
        await bench.wait(.food) { !$0.isFetching && !$0.isOptimistic && $0.value == 1 }
        gate.open()
        #expect(try await added == 1)
        await bench.client.settled()
        #expect(bench.count(.food) == 2)
        let values = seen.all.compactMap(\.self)
        #expect(values == values.sorted() && values.first == 0 && values.last == 1)
        watched.cancel()
    }
}
