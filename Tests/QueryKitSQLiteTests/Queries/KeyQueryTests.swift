import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Reads that find their rows by a unique key, or by a column of another row.
struct KeyQueryTests {
    private struct Text: QueryRequest {
        let name: String
        let database: SQLiteDatabase
        let sql: SQL

        var path: QueryPath { QueryPath(["text", name]) }

        static func == (left: Text, right: Text) -> Bool { left.name == right.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String?>) async throws -> String? {
            try await database.read { [sql] in try $0.value(String.self, sql) }
        }
    }

    private static let schema: StaticString = """
        CREATE TABLE brands (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE food (
            id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE, shop INTEGER, shelf INTEGER, name TEXT, uses INTEGER DEFAULT 0,
            brand INTEGER REFERENCES brands (id), part INTEGER GENERATED ALWAYS AS (shelf) VIRTUAL, UNIQUE (shop, shelf)
        );
        CREATE TABLE plain (id INTEGER PRIMARY KEY, code TEXT, place INTEGER, brand INTEGER REFERENCES brands (id), uses INTEGER);
        CREATE TABLE owned (id INTEGER PRIMARY KEY, code TEXT UNIQUE, uses INTEGER);
        CREATE UNIQUE INDEX plain_code ON plain (code);
        CREATE UNIQUE INDEX plain_place ON plain (place, brand);
        CREATE UNIQUE INDEX plain_some ON plain (uses) WHERE uses > 3;
        """

    private func database() async throws -> SQLiteDatabase {
        let database = try await SQLiteDatabase.make(.inMemory, Self.schema)
        try await database.write { db in
            for id in 1...200 {
                try db.execute("INSERT INTO brands VALUES (\(id), 'brand')")
                try db.execute("INSERT INTO plain VALUES (\(id), \("c\(id)"), \(id), \(id), 0)")
            }
        }
        return database
    }

    /// The regions that a statement is known to read, as text.
    private func reads(_ sql: SQL, in database: SQLiteDatabase) async throws -> [String] {
        let regions = Lock<[SQLiteRegion]>([])
        database.core.observeReads(with: RegionObserver(regions: regions))
        _ = try await database.read { db in try db.values(SQLiteValue.self, sql) }
        return regions.withLock { $0.map(\.unredacted).sorted() }
    }

    private final class RegionObserver: ReadObserver {
        private let regions: Lock<[SQLiteRegion]>

        init(regions: Lock<[SQLiteRegion]>) { self.regions = regions }

        func note(_ list: RegionList, for run: SourceRun?) { regions.withLock { $0 += list.regions } }

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) {}
    }

    @Test func `D11 a read by unique key depends on the row with that key`() async throws {
        let database = try await database()
        #expect(try await reads("SELECT uses FROM plain WHERE code = \("c7")", in: database) == ["plain#7"])
        #expect(try await reads("SELECT uses FROM plain WHERE code = 'c8'", in: database) == ["plain#8"])
        #expect(try await reads("SELECT id FROM plain WHERE code = \("c7")", in: database) == ["plain#7"])
        #expect(try await reads("SELECT uses FROM plain WHERE code IN (\("c7"), \("c9"))", in: database) == ["plain#7", "plain#9"])
        #expect(try await reads("SELECT uses FROM plain WHERE brand = \(3) AND place = \(3)", in: database) == ["plain#3"])
        await database.close()
    }

    @Test(
        arguments: [
            "SELECT uses FROM plain WHERE code = 'c7' COLLATE NOCASE", "SELECT code FROM plain WHERE uses = 4 AND uses > 3",
            "SELECT uses FROM plain WHERE code = CAST(7 AS TEXT)", "SELECT max(code) FROM plain",
        ] as [SQL]
    )
    func `D11 a read whose key may match other rows depends on the table`(_ sql: SQL) async throws {
        let database = try await database()
        #expect(try await reads(sql, in: database) == ["plain"])
        await database.close()
    }

    @Test func `D11 a row found through another row's reference is known by its id`() async throws {
        let database = try await database()
        let byID: SQL = "SELECT b.name FROM plain p JOIN brands b ON b.id = p.brand WHERE p.id = \(5)"
        #expect(try await reads(byID, in: database) == ["brands#5", "plain#5"])
        let byCode: SQL = "SELECT b.name FROM plain p LEFT JOIN brands b ON b.id = p.brand WHERE p.code = \("c6")"
        #expect(try await reads(byCode, in: database) == ["brands#6", "plain#6"])
        let inside: SQL = "SELECT (SELECT name FROM brands WHERE id = p.brand) FROM plain p WHERE p.id IN (\(3), \(4))"
        #expect(try await reads(inside, in: database) == ["brands#3", "brands#4", "plain#3", "plain#4"])
        try await database.execute("UPDATE plain SET brand = 9 WHERE id = 5")
        #expect(try await reads(byID, in: database) == ["brands#9", "plain#5"])
        try await database.execute("UPDATE plain SET brand = NULL WHERE id = 5")
        #expect(try await reads(byID, in: database) == ["plain#5"])
        await database.close()
    }

    @Test func `D11 a change of a row reruns only the requests that find it by its key`() async throws {
        let database = try await database()
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        let stores = (1...200).map { id in
            let sql: SQL =
                id.isMultiple(of: 2)
                ? "SELECT code || uses FROM plain WHERE code = \("c\(id)")"
                : "SELECT b.name || p.uses FROM plain p JOIN brands b ON b.id = p.brand WHERE p.code = \("c\(id)")"
            return client.store(for: Text(name: "\(id)", database: database, sql: sql).ttl(.infinity))
        }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        func runs() -> [Int] { stores.indices.filter { stores[$0].state.valueUpdateCount > 1 }.map { $0 + 1 } }

        try await database.execute("UPDATE plain SET uses = 1 WHERE id = 8")
        await client.settled()
        #expect(runs() == [8])
        try await database.execute("UPDATE brands SET name = 'new' WHERE id = 31")
        await client.settled()
        #expect(runs() == [8, 31] && stores[30].value == "new0")

        let shown = Dictionary(uniqueKeysWithValues: client.snapshot(includingValues: true).stores.map { ($0.path, $0.reads) })
        #expect(shown["text/31"] == ["\(database.name)/brands#31", "\(database.name)/plain#31"])

        // Two rows swap their keys, and one gets another brand.
        try await database.write { db in
            try db.execute("UPDATE plain SET code = 'x' WHERE id = 2")
            try db.execute("UPDATE plain SET code = 'c2' WHERE id = 4")
            try db.execute("UPDATE plain SET code = 'c4' WHERE id = 2")
            try db.execute("UPDATE plain SET brand = 40 WHERE id = 51")
        }
        await client.settled()
        #expect(runs() == [2, 4, 8, 31, 51])
        try await database.execute("UPDATE plain SET uses = 5 WHERE id = 4")
        await client.settled()
        #expect(stores[1].value == "c25" && stores[3].value == "c40")
        try await database.execute("UPDATE brands SET name = 'newer' WHERE id = 40")
        await client.settled()
        #expect(stores[50].value == "newer0")

        // A key that is removed and returns in another row.
        try await database.execute("DELETE FROM plain WHERE id = 6")
        await client.settled()
        #expect(stores[5].value == .some(nil))
        try await database.execute("INSERT INTO plain VALUES (600, 'c6', 600, 1, 3)")
        await client.settled()
        #expect(stores[5].value == "c63")
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }

    /// Reads by key in a write that, the first time, then gives the key to another row.
    private struct Swap: QueryRequest {
        let database: SQLiteDatabase
        let isFirst: Lock<Bool>

        var path: QueryPath { "swap" }

        static func == (left: Swap, right: Swap) -> Bool { true }
        func hash(into hasher: inout Hasher) {}

        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int?>) async throws -> Int? {
            let swaps = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return try await database.write { db in
                let uses = try db.value(Int.self, "SELECT uses FROM owned WHERE code = 'c7'")
                if swaps {
                    // Neither statement reads the table, which would count as reading all of it.
                    try db.execute("DELETE FROM owned")
                    try db.execute("INSERT INTO owned VALUES (8, 'c7', 0)")
                }
                return uses
            }
        }
    }

    @Test func `D11 a write that reads by key and then moves the key depends on the row that has it now`() async throws {
        let database = try await database()
        try await database.execute("INSERT INTO owned VALUES (7, 'c7', 1)")
        let client = QueryClient(configuration: .isolated)
        client.connect(to: database)
        let store = client.store(for: Swap(database: database, isFirst: Lock(true)).ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute("UPDATE owned SET uses = 9 WHERE id = 8")
        await client.settled()
        #expect(store.value == 9)
        subscription.cancel()
        await database.close()
    }

    @Test func `D11 a long list of ids is analyzed as quickly as it is read`() async throws {
        let database = try await database()
        let ids = Array(1...5_000)
        var found: [String] = []
        let time = try await ContinuousClock().measure {
            found = try await reads("SELECT uses FROM plain WHERE id IN \(ids)", in: database)
        }
        #expect(found.count == ids.count)
        // The time grows linearly with the list. It once grew with its third power.
        #expect(time < .seconds(20))
        await database.close()
    }

    @Test func `D11 too many keys are not looked up, and the read depends on the table`() async throws {
        let database = try await database()
        let few = (1...KeySearch.limit).map { "c\($0)" }
        #expect(try await reads("SELECT uses FROM plain WHERE code IN \(few)", in: database).count == KeySearch.limit)
        #expect(try await reads("SELECT uses FROM plain WHERE code IN \(few + ["c200"])", in: database) == ["plain"])
        await database.close()
    }
}
