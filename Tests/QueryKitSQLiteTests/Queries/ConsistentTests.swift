import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Two accounts whose sum never changes, and a list whose count stands in another table: what is read at one moment keeps both.
@Suite(.timeLimit(.minutes(5)))
struct ConsistentTests {
    private static let schema: StaticString = """
        CREATE TABLE accounts (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL);
        CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE counts (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
        INSERT INTO accounts VALUES (1, 50), (2, 50);
        INSERT INTO counts VALUES (1, 0);
        """

    private struct Number: QueryRequest {
        let name: String
        let read: @Sendable () async throws -> Int

        var path: QueryPath { QueryPath(["number", name]) }

        static func == (left: Number, right: Number) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { try await read() }
    }

    enum Place: CaseIterable, Sendable {
        case file, memory
    }

    private struct Bank {
        let database: SQLiteDatabase
        let client: QueryClient

        init(_ place: Place, limit: Duration = .seconds(20)) async throws {
            database = try await SQLiteDatabase.make(place == .file ? .temporary : .inMemory, ConsistentTests.schema)
            var configuration = QueryClient.Configuration.isolated
            configuration.consistencyLimit = limit
            client = QueryClient(configuration: configuration)
            client.connect(to: database)
        }

        func number(_ name: String, _ sql: SQL) -> Number {
            Number(name: name) { [database] in try await database.read { try $0.value(Int.self, sql) ?? -1 } }
        }

        var first: Number { number("first", "SELECT amount FROM accounts WHERE id = 1") }
        var second: Number { number("second", "SELECT amount FROM accounts WHERE id = 2") }
        var items: Number { number("items", "SELECT count(*) FROM items") }
        var count: Number { number("count", "SELECT count FROM counts WHERE id = 1") }

        /// Commits that keep both sums.
        func write(_ count: Int) async throws {
            for number in 0..<count {
                try await database.write { db in
                    if number.isMultiple(of: 2) {
                        let amount = number % 90
                        try db.execute("UPDATE accounts SET amount = \(amount) WHERE id = 1")
                        try db.execute("UPDATE accounts SET amount = \(100 - amount) WHERE id = 2")
                    } else {
                        try db.execute("INSERT INTO items (name) VALUES ('x')")
                        try db.execute("UPDATE counts SET count = count + 1")
                    }
                }
                if number.isMultiple(of: 7) { await Task.yield() }
            }
        }
    }

    private static var commitCount: Int { ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 600 : 100_000 }

    @Test(arguments: Place.allCases)
    func `a group shows one moment of the database`(_ place: Place) async throws {
        let bank = try await Bank(place)
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
        #expect(seen.withLock { $0 } > 10)
        #expect(group.currentStates.compactMap(\.value).count == 4)
        let last = group.currentStates.compactMap(\.value)
        #expect(last[0] + last[1] == 100)
        #expect(last[2] == Self.commitCount / 2 && last[3] == Self.commitCount / 2)
        subscription.cancel()
        await bank.database.close()
    }

    @Test(arguments: Place.allCases)
    func `requests that are not consistent are seen to disagree`(_ place: Place) async throws {
        let bank = try await Bank(place)
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
