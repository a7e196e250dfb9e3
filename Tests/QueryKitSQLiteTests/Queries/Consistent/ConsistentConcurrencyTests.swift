import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// What can go wrong while several runs read the same snapshot: one is late, fails, writes, waits for another, or is abandoned.
///
/// The limit is 200 seconds unless a test sets it, so a test that takes as long has found a deadlocked round.
struct ConsistentConcurrencyTests {
    /// Whether a call took less than the limit of a round.
    private func isQuick(_ work: () async throws -> Void) async rethrows -> Bool {
        let begin = ContinuousClock.now
        try await work()
        return ContinuousClock.now - begin < .seconds(150)
    }

    private func observe<Request: QueryRequest>(_ client: QueryClient, _ request: Request) -> QuerySubscription
    where Request.State.StateValue: ExpressibleByNilLiteral {
        client.store(for: request.consistent()).subscribe(with: QueryEventHandler { _, _ in })
    }

    @Test(arguments: Bank.Storage.allCases)
    func `a late request is left out of the round at the limit`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage, limit: .milliseconds(50))
        let gate = FetchGate()
        let late = BankNumber(name: "late") { [database = bank.database] in
            let value = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") ?? -1 }
            if value > 0 { try await gate.wait() }
            return value
        }
        let subscriptions = [observe(bank.client, bank.count), observe(bank.client, late)]
        await bank.client.settled()
        try await bank.write(2)
        let store = bank.client.store(for: bank.count)
        for await state in store.states where state.value == 1 { break }
        #expect(bank.client.value(for: late) == 0)
        gate.open()
        await bank.client.settled()
        #expect(bank.client.value(for: late) == 1)
        for subscription in subscriptions { subscription.cancel() }
        await bank.database.close()
    }

    @Test(arguments: Bank.Storage.allCases)
    func `a failing request does not delay the others`(_ storage: Bank.Storage) async throws {
        struct Broken: Error {}
        let bank = try await Bank(storage)
        let failing = BankNumber(name: "failing") { [database = bank.database] in
            let value = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") ?? -1 }
            if value > 0 { throw Broken() }
            return value
        }
        let group = bank.client.group([bank.count, failing])
        let subscription = group.subscribe { _ in }
        await bank.client.settled()
        // A retry after a minute leaves the round too.
        let patient = bank.client.store(
            for: failing.retry(limit: 3, backoff: .exponential(base: .seconds(600), cap: .seconds(600))).consistent()
        )
        let other = patient.subscribe(with: QueryEventHandler { _, _ in })
        #expect(
            try await isQuick {
                try await bank.write(2)
                for await state in bank.client.store(for: bank.count).states where state.value == 1 { break }
            }
        )
        subscription.cancel()
        other.cancel()
        await bank.client.settled()
        await bank.database.close()
    }

    /// Tested both with and without an observer of the inner request.
    @Test(arguments: Bank.Storage.allCases, [true, false])
    func `a fetch inside a fetch reads the same snapshot as the outer one`(_ storage: Bank.Storage, _ isObserved: Bool) async throws {
        let bank = try await Bank(storage)
        let broken = Lock<[Int]>([])
        let (first, second, client) = (bank.first, bank.second, bank.client)
        // The sum of the values of two other requests.
        let sum = BankNumber(name: "sum") { [database = bank.database] in
            let own = try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 1") ?? -1 }
            async let a = client.fetch(first)
            async let b = client.fetch(second)
            let (x, y) = try await (a, b)
            return x == own ? x + y : -2
        }
        var subscriptions = [
            client.store(for: sum.consistent()).subscribe(
                with: QueryEventHandler { state, _ in
                    if let value = state.value, value != 100 { broken.withLock { $0.append(value) } }
                }
            )
        ]
        if isObserved { subscriptions += [observe(client, first), observe(client, second)] }
        #expect(
            try await isQuick {
                try await bank.write(200)
                await client.settled()
            }
        )
        #expect(broken.withLock { $0 } == [])
        #expect(client.value(for: sum) == 100)
        for subscription in subscriptions { subscription.cancel() }
        await bank.database.close()
    }

    @Test(arguments: Bank.Storage.allCases)
    func `a run that writes reads its own writes`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage)
        let writing = BankNumber(name: "writing") { [database = bank.database] in
            _ = try await database.read { try $0.value(Int.self, "SELECT count FROM counts") }
            try await database.write { try $0.execute("UPDATE accounts SET amount = amount + 1 WHERE id = 1") }
            return try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 1") ?? -1 }
        }
        let group = bank.client.group([bank.count, writing])
        let subscription = group.subscribe { _ in }
        #expect(await isQuick { await bank.client.settled() })
        #expect(bank.client.value(for: writing) == 51)
        #expect(
            try await isQuick {
                try await bank.database.write { try $0.execute("UPDATE counts SET count = 7") }
                await bank.client.settled()
            }
        )
        #expect(bank.client.value(for: bank.count) == 7)
        #expect(bank.client.value(for: writing) == 52)
        subscription.cancel()
        await bank.database.close()
    }

    @Test(arguments: Bank.Storage.allCases)
    func `a request abandoned in the middle of a round does not delay the others`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage)
        let (items, client) = (bank.items, bank.client)
        let group = client.group([bank.first, bank.second, bank.count])
        let subscription = group.subscribe { _ in }
        let writer = Task { try await bank.write(500) }
        #expect(
            try await isQuick {
                for step in 0..<60 {
                    let other = observe(client, items)
                    switch step % 6 {
                    case 0: client.reset("number/*")
                    case 1: client.cancel("number/*")
                    case 2: client.invalidate("number/*")
                    case 3: client.reset(session: "user \(step)")
                    case 4: client.remove("number/items")
                    default: _ = try? await client.fetch(items)
                    }
                    await Task.yield()
                    other.cancel()
                }
                try await writer.value
                client.invalidate("number/*")
                await client.settled()
            }
        )
        let values = group.currentStates.compactMap(\.value)
        #expect(values.count == 3 && values[0] + values[1] == 100)
        subscription.cancel()
        await bank.database.close()
    }

    @Test(arguments: [true, false])
    func `suspending or closing the database ends the snapshot of a round`(_ closes: Bool) async throws {
        let bank = try await Bank(.file)
        let gate = FetchGate()
        let slow = BankNumber(name: "slow") { [database = bank.database] in
            let value = try await database.read { try $0.value(Int.self, "SELECT count(*) FROM items") ?? -1 }
            try await gate.wait()
            return value
        }
        let group = bank.client.group([bank.count, slow])
        let subscription = group.subscribe { _ in }
        await gate.arrival()
        #expect(
            await isQuick {
                if closes { await bank.database.close() } else { await bank.database.suspend() }
            }
        )
        bank.database.resume()
        gate.open()
        await bank.client.settled()
        #expect(bank.client.value(for: slow) == 0)
        subscription.cancel()
        if !closes { await bank.database.close() }
    }

    @Test func `a sleep on a manual clock does not keep settled waiting, and the limit is measured by that clock`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE t (x INTEGER); INSERT INTO t VALUES (1)")
        let clock = ManualClock()
        let client = QueryClient.test(clock: clock)
        client.connect(to: database)
        let quick = BankNumber(name: "quick") { try await database.read { try $0.value(Int.self, "SELECT x FROM t") ?? -1 } }
        let slow = BankNumber(name: "slow") {
            let value = try await database.read { try $0.value(Int.self, "SELECT x FROM t") ?? -1 }
            try await clock.sleep(for: .seconds(5))
            return value
        }
        let group = client.group([quick, slow])
        let subscription = group.subscribe { _ in }
        await client.settled()
        #expect(client.value(for: quick) == nil)
        clock.advance(by: .milliseconds(250))
        await client.settled()
        #expect(client.value(for: quick) == 1)
        #expect(client.value(for: slow) == nil)
        clock.advance(by: .seconds(5))
        await client.settled()
        #expect(client.value(for: slow) == 1)
        subscription.cancel()
        await database.close()
    }

    /// Where the second request is held back until the first one is shown alone, which would be a fault, or 200 ms have passed.
    enum Delay: CaseIterable {
        case beforeSubscribing, beforeReading
    }

    @Test(arguments: Bank.Storage.allCases, Delay.allCases)
    func `D11 the first values of a group appear together`(_ storage: Bank.Storage, _ delay: Delay) async throws {
        let bank = try await Bank(storage)
        let shown = DispatchSemaphore(value: 0)
        @Sendable func pause() { _ = shown.wait(timeout: .now() + .milliseconds(200)) }
        let late = BankNumber(name: "late") { [database = bank.database] in
            if delay == .beforeReading {
                await withCheckedContinuation { caller in
                    DispatchQueue.global().async {
                        pause()
                        caller.resume()
                    }
                }
            }
            return try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 2") ?? -1 }
        }
        let first = bank.client.store(for: bank.first)
        let mustPause = Lock(delay == .beforeSubscribing)
        let group = bank.client.group(
            [bank.first, late].map { request in
                request.enabled { _ in
                    guard request == late, first.subscriberCount > 0 else { return true }
                    let isFirst = mustPause.withLock { mustPause in
                        defer { mustPause = false }
                        return mustPause
                    }
                    if isFirst { pause() }
                    return true
                }
            }
        )
        let seen = Recorder<[Int]>()
        let subscription = group.subscribe { states in
            let values = states.compactMap(\.value)
            if values.count == 1 { shown.signal() }
            if seen.all.last != values { seen.note(values) }
        }
        await bank.client.settled()
        #expect(seen.all == [[], [50, 50]])
        subscription.cancel()
        await bank.database.close()
    }

    @Test func `a commit of another connection that only the snapshot shows is reported before its value is shown`() async throws {
        let bank = try await Bank(.file)
        let path = try #require(bank.database.core.opener.path)
        let other = try await SQLiteDatabase.open(.file(URL(fileURLWithPath: path)), migrations: Bank.migrations)
        let broken = Lock<[Int]>([])
        let next = Lock<Int?>(nil)
        // The other connection commits between the start of the run and its first read.
        let first = BankNumber(name: "first") { [database = bank.database] in
            if let amount = next.withLock({ $0.take() }) {
                try await other.write { db in
                    try db.execute("UPDATE accounts SET amount = \(amount) WHERE id = 1")
                    try db.execute("UPDATE accounts SET amount = \(100 - amount) WHERE id = 2")
                }
            }
            return try await database.read { try $0.value(Int.self, "SELECT amount + 0 * version FROM accounts WHERE id = 1") ?? -1 }
        }
        let group = bank.client.group([first, bank.second])
        let subscription = group.subscribe { states in
            let values = states.compactMap(\.value)
            if values.count == 2, values[0] + values[1] != 100 { broken.withLock { $0.append(values[0] + values[1]) } }
        }
        await bank.client.settled()
        for amount in 1...20 {
            next.withLock { $0 = amount }
            try await bank.touchFirst()
            await bank.client.settled()
            #expect(bank.client.value(for: first) == amount)
        }
        subscription.cancel()
        #expect(broken.withLock { $0.prefix(5) } == [])
        await other.close()
        await bank.database.close()
    }

    @Test func `commits of another connection to the file are read as one snapshot`() async throws {
        let bank = try await Bank(.file)
        let path = try #require(bank.database.core.opener.path)
        let other = try await SQLiteDatabase.open(.file(URL(fileURLWithPath: path)), migrations: Bank.migrations)
        let broken = Lock<[[Int]]>([])
        let group = bank.client.group([bank.first, bank.second, bank.items, bank.count])
        let subscription = group.subscribe { states in
            let values = states.compactMap(\.value)
            guard values.count == 4 else { return }
            if values[0] + values[1] != 100 || values[2] != values[3] { broken.withLock { $0.append(values) } }
        }
        async let own: Void = bank.write(300)
        try await bank.write(300, to: other)
        try await own
        for await state in bank.client.store(for: bank.items).states where state.value == 300 { break }
        await bank.client.settled()
        #expect(broken.withLock { $0.prefix(5) } == [])
        subscription.cancel()
        await other.close()
        await bank.database.close()
    }
}
