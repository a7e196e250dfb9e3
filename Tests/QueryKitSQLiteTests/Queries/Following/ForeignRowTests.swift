import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Which requests run again after a commit of another process, here another database on the same file.
struct ForeignRowTests {
    private struct Text: QueryRequest {
        let name: String
        let database: SQLiteDatabase
        let sql: SQL

        static func == (left: Text, right: Text) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
            try await database.read { [sql] db in try db.values(String.self, sql) }
        }
    }

    private static let schema: StaticString = """
        CREATE TABLE food (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name TEXT, uses INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT);
        """

    private let client = QueryClient(configuration: .isolated)

    private func open(_ folder: TemporaryFolder) async throws -> (mine: SQLiteDatabase, other: SQLiteDatabase) {
        let databases = (
            mine: try await SQLiteDatabase.make(.file(folder.file()), Self.schema),
            other: try await SQLiteDatabase.make(.file(folder.file()), Self.schema)
        )
        client.connect(to: databases.mine)
        return databases
    }

    /// The stores of some statements, observed.
    private func observe(_ statements: [SQL], in database: SQLiteDatabase) -> (stores: [QueryStore<Text.State>], [QuerySubscription]) {
        let stores = statements.enumerated().map { client.store(for: Text(name: "\($0)", database: database, sql: $1).ttl(.infinity)) }
        return (stores, stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) })
    }

    /// Which stores run again after some commits of the other database.
    private func runs(_ stores: [QueryStore<Text.State>], _ database: SQLiteDatabase, after write: () async throws -> Void) async throws
        -> [Int]
    {
        await client.settled()
        let before = stores.map(\.state.valueUpdateCount)
        try await write()
        _ = try await database.checkForCommits()
        await client.settled()
        return stores.indices.filter { stores[$0].state.valueUpdateCount > before[$0] }
    }

    @Test func `D6 D11 a commit of another process to one row reruns only the requests that read this row`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = try await open(folder)
        try await mine.write { db in
            for id in 1...100 { try db.execute("INSERT INTO food (id, code, name) VALUES (\(id), \("c\(id)"), 'x')") }
        }
        let (stores, subscriptions) = observe(
            (1...100).map { id in
                id.isMultiple(of: 2) ? "SELECT name FROM food WHERE id = \(id)" : "SELECT name FROM food WHERE code = \("c\(id)")"
            },
            in: mine
        )
        func write(_ sql: SQL) async throws -> [Int] {
            try await runs(stores, mine) { try await other.execute(sql) }.map { $0 + 1 }
        }
        #expect(try await write("UPDATE food SET name = 'y' WHERE id = 8") == [8])
        #expect(try await write("UPDATE food SET name = 'y' WHERE code = 'c31'") == [31])
        // No request reads this column.
        #expect(try await write("UPDATE food SET uses = uses + 1") == [])
        #expect(try await write("UPDATE food SET name = 'z' WHERE id > 40") == Array(41...100))
        // The log contains at most 64 rows, so these count as all.
        #expect(try await write("UPDATE food SET name = 'w' WHERE id > 30 AND id < 96") == Array(1...100))
        #expect(try await write("DELETE FROM food WHERE id IN (2, 3)") == [2, 3])
        // Request 3 looks for a key that has no row, in a range of the index. A commit without values affects all ranges.
        #expect(try await write("UPDATE food SET name = 'v' WHERE id = 50") == [3, 50])
        #expect(stores[7].value == ["y"] && stores[1].value == [] && stores[99].value == ["z"] && stores[90].value == ["w"])
        #expect(stores[7].state.cause == .otherProcess)
        for subscription in subscriptions { subscription.cancel() }
        await mine.close()
        await other.close()
    }

    @Test func `D6 D11 a setting that another process writes reruns its reader and those of settings without a row`() async throws {
        let folder = try TemporaryFolder()
        let (mine, other) = try await open(folder)
        try await mine.execute("INSERT INTO settings VALUES ('a', '1'), ('b', '1')")
        let (stores, subscriptions) = observe(
            ["a", "b", "c"].map { "SELECT value FROM settings WHERE name = \($0)" },
            in: mine
        )
        func set(_ name: String, _ value: String) async throws -> [Int] {
            try await runs(stores, mine) {
                try await other.execute(
                    """
                    INSERT INTO settings VALUES (\(name), \(value)) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """
                )
            }
        }
        #expect(try await set("b", "2") == [1, 2])
        #expect(try await set("c", "2") == [2])
        #expect(stores.map(\.value) == [["1"], ["2"], ["2"]])
        for subscription in subscriptions { subscription.cancel() }
        await mine.close()
        await other.close()
    }

    @Test func `D6 no commit of another process is missed by reads of rows, columns and ranges`() async throws {
        var dice = Dice(seed: 11)
        let folder = try TemporaryFolder()
        let (mine, other) = try await open(folder)
        let statements: [SQL] =
            (1...6).map { "SELECT name FROM food WHERE id = \($0)" }
            + (1...6).map { "SELECT uses || '' FROM food WHERE code = \("c\($0)")" }
            + [
                "SELECT code FROM food WHERE code >= 'c2' AND code < 'c5'", "SELECT count(*) || '' FROM food",
                "SELECT total(uses) || '' FROM food",
            ]
        let (stores, subscriptions) = observe(statements, in: mine)
        for _ in 0..<200 {
            _ = try await runs(stores, mine) {
                for _ in 0..<Int.random(in: 1...3, using: &dice) {
                    let (id, code) = (Int.random(in: 1...6, using: &dice), "c\(Int.random(in: 1...6, using: &dice))")
                    switch Int.random(in: 0..<6, using: &dice) {
                    case 0: try await other.execute("INSERT OR IGNORE INTO food (id, code, name) VALUES (\(id), \(code), 'x')")
                    case 1: try await other.execute("UPDATE food SET uses = uses + 1 WHERE id = \(id)")
                    case 2: try await other.execute("UPDATE OR IGNORE food SET code = \(code) WHERE id = \(id)")
                    case 3: try await other.execute("DELETE FROM food WHERE code = \(code)")
                    case 4: try await other.execute("INSERT OR REPLACE INTO food (id, code, name) VALUES (\(id), \(code), 'y')")
                    default: try await other.execute("UPDATE OR IGNORE food SET id = id + 1 WHERE id = \(id)")
                    }
                }
            }
            for (store, sql) in zip(stores, statements) {
                let value = try await mine.read { db in try db.values(String.self, sql) }
                #expect(store.value == value)
            }
        }
        for subscription in subscriptions { subscription.cancel() }
        await mine.close()
        await other.close()
    }
}
