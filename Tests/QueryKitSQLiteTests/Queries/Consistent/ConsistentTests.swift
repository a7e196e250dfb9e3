import Foundation
import QueryKit
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Observers of several consistent requests see one snapshot of the database, even if commits follow each other quickly.
struct ConsistentTests {
    private static var commitCount: Int { ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 300 : 100_000 }

    @Test(arguments: Bank.Storage.allCases)
    func `a group shows one snapshot of the database`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage)
        let broken = Lock<[[Int]]>([])
        let seen = Lock(0)
        let group = bank.client.group([bank.first, bank.second, bank.items, bank.count])
        let subscription = group.subscribe { states in
            let values = states.compactMap(\.value)
            guard values.count == 4 else { return }
            seen.withLock { $0 += 1 }
            if values[0] + values[1] != 100 || values[2] != values[3] { broken.withLock { $0.append(values) } }
        }
        try await bank.write(Self.commitCount)
        await bank.client.settled()
        #expect(broken.withLock { $0.prefix(5) } == [])
        #expect(seen.withLock { $0 } > 0)
        #expect(group.currentStates.compactMap(\.value).count == 4)
        let last = group.currentStates.compactMap(\.value)
        #expect(last[0] + last[1] == 100)
        #expect(last[2] == Self.commitCount / 2 && last[3] == Self.commitCount / 2)
        subscription.cancel()
        await bank.database.close()
    }

    @Test(arguments: Bank.Storage.allCases)
    func `a group read at any time shows one snapshot`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage)
        let broken = Lock<[[Int]]>([])
        let group = bank.client.group([bank.first, bank.second, bank.items, bank.count])
        let subscription = group.subscribe { _ in }
        await bank.client.settled()
        let isDone = Lock(false)
        async let asking: Void = onThread {
            while !isDone.withLock({ $0 }) {
                let values = group.currentStates.compactMap(\.value)
                if values[0] + values[1] != 100 || values[2] != values[3] { broken.withLock { $0.append(values) } }
            }
        }
        // The thread occupies a core of its own.
        try await bank.write(Self.commitCount / 3)
        await bank.client.settled()
        isDone.withLock { $0 = true }
        await asking
        #expect(broken.withLock { $0.prefix(5) } == [])
        subscription.cancel()
        await bank.database.close()
    }

    @Test(arguments: Bank.Storage.allCases)
    func `requests that are not consistent can be seen to disagree`(_ storage: Bank.Storage) async throws {
        let bank = try await Bank(storage)
        let (items, count) = (bank.client.store(for: bank.items), bank.client.store(for: bank.count))
        let broken = Lock(0)
        let combination = QueryCombination(items, count) { items, count in [items.value, count.value] }
        let watching = Task {
            for await values in combination where values[0] != nil && values[1] != nil && values[0] != values[1] {
                broken.withLock { $0 += 1 }
            }
        }
        for _ in 0..<100 where broken.withLock({ $0 }) == 0 { try await bank.write(100) }
        watching.cancel()
        #expect(broken.withLock { $0 } > 0)
        await bank.database.close()
    }
}
