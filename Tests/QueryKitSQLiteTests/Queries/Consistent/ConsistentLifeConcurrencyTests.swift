import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Consistent requests and their environment: other observers and handlers, the database, and a client that is deallocated.
struct ConsistentLifeConcurrencyTests {
    private func observe<Request: QueryRequest>(_ client: QueryClient, _ request: Request) -> QuerySubscription
    where Request.State.StateValue: ExpressibleByNilLiteral {
        client.store(for: request).subscribe(with: QueryEventHandler { _, _ in })
    }

    /// The handlers of the two requests affected by one commit wait for each other.
    @Test func `a slow handler delays only its own request`() async throws {
        let bank = try await Bank(.file)
        let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let met = Lock(0)
        let subscriptions = [bank.items, bank.count].enumerated().map { number, request in
            let isNew = Lock(true)
            return bank.client.store(for: request.consistent()).subscribe(
                with: QueryEventHandler { state, _ in
                    guard state.value == 1,
                        isNew.withLock({ isNew in
                            defer { isNew = false }
                            return isNew
                        })
                    else { return }
                    arrivals[number].signal()
                    if arrivals[1 - number].wait(timeout: .now() + 20) == .success { met.withLock { $0 += 1 } }
                }
            )
        }
        await bank.client.settled()
        try await bank.write(2)
        await bank.client.settled()
        #expect(met.withLock { $0 } == 2)
        for subscription in subscriptions { subscription.cancel() }
        await bank.database.close()
    }

    @Test func `a run cancelled while the snapshot waits for a connection leaves the snapshot to the others`() async throws {
        let bank = try await Bank(.file, readerCount: 1)
        let (database, client) = (bank.database, bank.client)
        let gate = FetchGate()
        let values = Lock<[Int]>([])
        let read = Recorder<Int>()
        let begun = Recorder<Int>()
        let late = BankNumber(name: "late") {
            begun.note(2)
            _ = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") }
            try await gate.wait()
            return try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 2") ?? -1 }
        }
        let early = BankNumber(name: "early") {
            begun.note(1)
            let amount = try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 1") ?? -1 }
            read.note(amount)
            return amount
        }
        let group = client.group([early, late])
        let block = BlockingGate()
        let blocking = Task { try await database.read { _ in block.pass() } }
        await block.arrival()
        // Another client holds the connection for snapshots.
        let lanes = database.core.lanes
        let held = try await lanes.acquire()
        // Its read opens the snapshot and waits for the only connection for reads.
        let cancelled = observe(client, bank.items.consistent())
        while database.core.lanes.waitingCount < 1 { await Task.yield() }
        let subscription = group.subscribe { states in
            let amounts = states.compactMap(\.value)
            if amounts.count == 2 { values.withLock { $0.append(amounts[0] + amounts[1]) } }
        }
        // They reach the snapshot and wait for their turns.
        while begun.count < 2 { await Task.yield() }
        for _ in 0..<500 { await Task.yield() }
        cancelled.cancel()
        client.store(for: bank.items).cancel()
        block.open()
        try await blocking.value
        lanes.release(held)
        // The early one has read its account, and the late one has not.
        await gate.arrival()
        while read.count == 0 { await Task.yield() }
        try await database.write { db in
            try db.execute("UPDATE accounts SET amount = 10 WHERE id = 1")
            try db.execute("UPDATE accounts SET amount = 90 WHERE id = 2")
        }
        gate.open()
        await client.settled()
        #expect(Set(values.withLock { $0 }) == [100])
        subscription.cancel()
        await database.close()
    }

    @Test func `a store takes part in rounds only while an observer wants it to be consistent`() async throws {
        let bank = try await Bank(.file)
        let gate = FetchGate()
        let late = BankNumber(name: "late") { [database = bank.database] in
            let value = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") ?? -1 }
            if value > 0 { try await gate.wait() }
            return value
        }
        let plain = observe(bank.client, late)
        let consistent = observe(bank.client, late.consistent())
        let other = observe(bank.client, bank.count.consistent())
        await bank.client.settled()
        consistent.cancel()
        try await bank.write(2)
        // The other request does not wait for it, even though the limit is minutes.
        for await state in bank.client.store(for: bank.count).states where state.value == 1 { break }
        #expect(bank.client.value(for: late) == 0)
        gate.open()
        await bank.client.settled()
        #expect(bank.client.value(for: late) == 1)
        for subscription in [plain, other] { subscription.cancel() }
        await bank.database.close()
    }

    /// In each database a commit is holding the order, so a snapshot can't be taken. There are more databases than threads for tasks.
    @Test func `a snapshot that waits for a commit blocks no thread that runs tasks`() async throws {
        var banks: [Bank] = []
        for _ in 0...ProcessInfo.processInfo.activeProcessorCount {
            banks.append(try await Bank(.file) { $0.callersThreads = CallersThreadLimiter(limit: 64) })
        }
        let subscriptions = banks.flatMap { [observe($0.client, $0.items.consistent()), observe($0.client, $0.count.consistent())] }
        // The second round uses the connection that the first one has opened.
        for bank in banks {
            await bank.client.settled()
            try await bank.write(2)
            await bank.client.settled()
        }
        let gates = banks.map { bank in
            let gate = BlockingGate()
            DispatchQueue(label: "commit").async { bank.database.core.feed.order.withLock { _ in gate.pass() } }
            return gate
        }
        for gate in gates { await gate.arrival() }
        let isBlocked = Lock(false)
        let rescue = DispatchWorkItem {
            isBlocked.withLock { $0 = true }
            for gate in gates { gate.open() }
        }
        // Blocked threads stay blocked; those that other tests keep busy take a while under the thread sanitizer.
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: rescue)
        for bank in banks { bank.client.invalidate(.all) }
        // These tasks begin after those of the runs.
        for _ in 0..<100 { await Task.detached {}.value }
        rescue.cancel()
        #expect(!isBlocked.withLock { $0 })
        for gate in gates { gate.open() }
        for bank in banks {
            await bank.client.settled()
            #expect(bank.client.value(for: bank.items) == 1 && bank.client.value(for: bank.count) == 1)
            await bank.database.close()
        }
        for subscription in subscriptions { subscription.cancel() }
    }

    /// The time limit has passed before the snapshot is taken, so SQLite interrupts some of the statements. It interrupts the beginning of
    /// a transaction only once in 2,000 times.
    @Test(arguments: Bank.Storage.allCases)
    func `an interrupted attempt to take a snapshot leaves no transaction open and loses nothing`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage) {
            $0.callersThreads = CallersThreadLimiter(limit: 64)
            $0.callersThreadLimit = .nanoseconds(1)
        }
        let request = bank.number("version", "SELECT version FROM accounts WHERE id = 1").consistent()
        let subscription = observe(bank.client, request)
        let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil
        for number in 1...(isLong ? 10_000 : 200) {
            try await bank.touchFirst()
            await bank.client.settled()
            guard bank.client.value(for: request) == number else {
                Issue.record("\(String(describing: bank.client.value(for: request))) instead of \(number)")
                break
            }
        }
        subscription.cancel()
        await bank.database.close()
    }

    /// While the thread of the connection is blocked, a snapshot can be taken and ended only on other threads.
    @Test func `a snapshot needs the thread of its connection only if callers' threads may not be used`() async throws {
        for usesCallersThreads in [true, false] {
            let bank = try await Bank(.file) {
                $0.callersThreads = CallersThreadLimiter(limit: 64)
                $0.callersThreadLimit = usesCallersThreads ? .seconds(10) : .zero
            }
            let subscription = observe(bank.client, bank.items.consistent())
            await bank.client.settled()
            try await bank.write(2)
            await bank.client.settled()
            let gate = BlockingGate()
            let lane = try #require(bank.database.core.lanes.lanes.last)
            lane.queue.async { gate.pass() }
            await gate.arrival()
            let isOpen = Lock(false)
            let rescue = DispatchWorkItem {
                isOpen.withLock { $0 = true }
                gate.open()
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + (usesCallersThreads ? 20 : 0.3), execute: rescue)
            try await bank.write(2)
            await bank.client.settled()
            #expect(isOpen.withLock { $0 } == !usesCallersThreads)
            #expect(bank.client.value(for: bank.items) == 2)
            rescue.cancel()
            gate.open()
            subscription.cancel()
            await bank.database.close()
        }
    }

    @Test func `a database that tells other processes nothing has consistent requests too`() async throws {
        let bank = try await Bank(.file) { $0.tellsOtherProcesses = false }
        let group = bank.client.group([bank.first, bank.second])
        let sums = Recorder<Int>()
        let subscription = group.subscribe { states in
            let values = states.compactMap(\.value)
            if values.count == 2 { sums.note(values[0] + values[1]) }
        }
        await bank.client.settled()
        try await bank.write(9)
        await bank.client.settled()
        #expect(bank.client.value(for: bank.first) == 8)
        #expect(sums.all.count > 1 && sums.all.allSatisfy { $0 == 100 })
        subscription.cancel()
        await bank.database.close()
    }

    @Test func `a client deallocated in the middle of a round returns the connection`() async throws {
        let bank = try await Bank(.file, readerCount: 1)
        let database = bank.database
        let gate = FetchGate()
        weak var gone: QueryClient?
        do {
            var configuration = QueryClient.Configuration.isolated
            configuration.consistencyLimit = .seconds(200)
            let client = QueryClient(configuration: configuration)
            gone = client
            client.connect(to: database)
            // It ignores its cancellation.
            let deaf = BankNumber(name: "deaf") {
                _ = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") }
                await Task { try? await gate.wait() }.value
                return 1
            }
            let subscription = client.group([deaf]).subscribe { _ in }
            await gate.arrival()
            #expect(database.core.lanes.state.withLock { $0.holders.count } == 1)
            subscription.cancel()
        }
        #expect(gone == nil)
        let lanes = database.core.lanes
        // The connection is returned on its own thread, possibly after the client is gone; the time limit of the suite ends the wait.
        while !lanes.state.withLock({ $0.holders.isEmpty && $0.schedule.isIdle }) { await Task.yield() }
        let acquired = try await lanes.acquire()
        #expect(acquired === lanes.lanes.last)
        lanes.release(acquired)
        gate.open()
        await database.close()
    }

    @Test func `a damaged file is recovered in the middle of a round`() async throws {
        let folder = try WatchedFolder()
        let url = URL(filePath: folder.path(of: "pantry.sqlite"))
        var pages = PantryPages(bytes: try await Pantry.file())
        try Data(pages.bytes).write(to: url)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "entries", in: url))[1])
        try Data(pages.bytes).write(to: url)
        let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
        var configuration = QueryClient.Configuration.isolated
        configuration.consistencyLimit = .seconds(200)
        let client = QueryClient(configuration: configuration)
        client.connect(to: database)
        let statements: [SQL] = [
            "SELECT count(*) FROM entries NOT INDEXED", "SELECT count(id) FROM entries NOT INDEXED WHERE note IS NOT NULL OR note IS NULL",
            "SELECT max(id) FROM entries NOT INDEXED WHERE note >= ''", "SELECT sum(id) FROM entries NOT INDEXED WHERE note >= ''",
        ]
        let requests = statements.enumerated().map { number, sql in
            BankNumber(name: "\(number)") { try await database.read { try $0.value(Int.self, sql) ?? -1 } }
        }
        let group = client.group(requests)
        let subscription = group.subscribe { _ in }
        await client.settled()
        let values = group.currentStates.compactMap(\.value)
        #expect(values.count == 4 && values[0] > 300 && values[0] < 400 && values[0] == values[1])
        guard case .recovered = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        subscription.cancel()
        await database.close()
    }
}
