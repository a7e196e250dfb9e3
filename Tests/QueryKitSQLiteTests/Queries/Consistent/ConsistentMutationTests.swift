import QueryKit
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Consistent requests while mutations write, and consistent requests that fetch others.
struct ConsistentMutationTests {
    private func transfer(_ amount: Int, in database: SQLiteDatabase) async throws {
        try await database.write { db in
            try db.execute("UPDATE accounts SET amount = \(amount) WHERE id = 1")
            try db.execute("UPDATE accounts SET amount = \(100 - amount) WHERE id = 2")
        }
    }

    @Test(arguments: Bank.Storage.allCases, [true, false])
    func `R29 D11 a group shows one snapshot while a mutation or other code writes beside another commit`(
        _ storage: Bank.Storage,
        _ isMutation: Bool
    ) async throws {
        let bank = try await Bank(storage)
        let (broken, seen) = (Lock(0), Lock(0))
        let subscription = bank.client.group([bank.first, bank.second]).subscribe { states in
            let values = states.compactMap(\.value)
            guard values.count == 2 else { return }
            seen.withLock { $0 += 1 }
            if values[0] + values[1] != 100 { broken.withLock { $0 += 1 } }
        }
        let database = bank.database
        let mutation = InlineMutation<Int, Void>("transfer") { amount, _ in try await transfer(amount, in: database) }
        async let commits: Void = bank.write(150)
        for amount in 0..<75 {
            if isMutation { try await bank.client.mutate(mutation, with: amount) } else { try await transfer(amount, in: database) }
        }
        try await commits
        await bank.client.settled()
        #expect(seen.withLock { $0 } > 0)
        withKnownIssue("D11 in memory a mutation writes between two reads of one snapshot") {
            #expect(broken.withLock { $0 } == 0)
        } when: {
            storage == .memory && isMutation
        }
        subscription.cancel()
        await bank.database.close()
    }

    /// Tested with one commit at a time, and with a mutation that writes beside another commit.
    @Test(arguments: Bank.Storage.allCases, [true, false])
    func `R33 D11 a consistent request that fetches another one has its value when settled returns, without waiting for the clock`(
        _ storage: Bank.Storage,
        _ isBeside: Bool
    ) async throws {
        let bank = try await Bank(storage)
        let database = bank.database
        let clock = ManualClock()
        let client = QueryClient.test(clock: clock)
        client.connect(to: database)
        let first = bank.first
        let sum = BankNumber(name: "sum") {
            let second = try await database.read { try $0.value(Int.self, "SELECT amount FROM accounts WHERE id = 2") ?? -1 }
            return try await client.fetch(first) + second
        }
        let mutation = InlineMutation<Int, Void>("transfer") { amount, _ in try await transfer(amount, in: database) }
        let store = client.store(for: sum)
        let subscriptions = [sum, first].map { client.store(for: $0.consistent()).subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        var (early, stalled) = (0, 0)
        for amount in 0..<150 where stalled == 0 {
            async let commit: Void = isBeside ? bank.touchFirst() : ()
            try await client.mutate(mutation, with: amount % 90)
            try await commit
            await client.settled()
            if !store.isFetching && store.value == 100 { continue }
            early += 1
            let deadline = ContinuousClock.now + .seconds(1)
            while store.isFetching || store.value != 100, ContinuousClock.now < deadline { await Task.yield() }
            if store.isFetching { stalled += 1 }
        }
        withKnownIssue("R33 settled returns before the run has ended", isIntermittent: true) { #expect(early == 0) }
        withKnownIssue("D11 the round waits for its limit", isIntermittent: true) { #expect(stalled == 0) }
        clock.advance(by: .seconds(1))
        await client.settled()
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }
}
