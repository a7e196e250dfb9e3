import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Requests that each read one row by its key.
struct RowQueryTests {
    private enum Food: QueryContext.Key {
        static var defaultValue: SQLiteDatabase? { nil }
    }

    private struct Name: QueryRequest {
        let id: Int

        var path: QueryPath { ["name", self] }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<String?>) async throws -> String? {
            guard let database = context[Food.self] else { throw QueryError(.invalidParameters) }
            return try await database.read { db in try db.value(String.self, "SELECT name FROM food WHERE id = \(id)") }
        }
    }

    /// The names of some rows, each fetched by its own request.
    private struct Pair: QueryRequest {
        let ids: [Int]

        var path: QueryPath { ["pair", self] }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<[String?]>) async throws -> [String?] {
            guard let client = context.queryClient else { throw QueryError(.invalidParameters) }
            var names: [String?] = []
            for id in ids { names.append(try await client.fetch(Name(id: id).ttl(.infinity))) }
            return names
        }
    }

    /// Renames one row, with an optimistic name that differs from the written one.
    private struct Rename: MutationRequest {
        func mutate(with id: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
            guard let database = context[Food.self] else { throw QueryError(.invalidParameters) }
            try await database.write { db in _ = try db.execute("UPDATE food SET name = 'new' WHERE id = \(id)") }
            return id
        }

        func optimistic(with id: Int, in layers: inout QueryLayers) {
            layers.update(Name(id: id)) { $0 = "guess" }
        }
    }

    private func client(of database: SQLiteDatabase) -> QueryClient {
        var context = QueryContext()
        context[Food.self] = database
        let client = QueryClient(context: context, configuration: .isolated)
        client.connect(to: database)
        return client
    }

    @Test func `D11 a changed row reruns only the one request of a thousand that reads it`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory, "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT, uses INTEGER)")
        try await database.write { db in for id in 0..<500 { try db.execute("INSERT INTO food (id, name) VALUES (\(id), 'old')") } }
        let client = client(of: database)
        let stores = (0..<1_000).map { client.store(for: Name(id: $0).ttl(.infinity)) }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        func runs() -> [Int] { stores.indices.filter { stores[$0].state.valueUpdateCount > 1 } }

        try await database.execute("UPDATE food SET name = 'new' WHERE id = 7")
        await client.settled()
        #expect(runs() == [7])
        #expect(stores[7].value == "new")

        // A row that did not exist, and a deleted one.
        try await database.write { db in
            try db.execute("INSERT INTO food (id, name) VALUES (700, 'new')")
            try db.execute("DELETE FROM food WHERE id = 8")
        }
        await client.settled()
        #expect(runs() == [7, 8, 700])
        #expect(stores[8].value == .some(nil) && stores[700].value == "new")

        // A column that none of them reads.
        try await database.execute("UPDATE food SET uses = 1")
        await client.settled()
        #expect(runs() == [7, 8, 700])

        // More rows than are reported individually.
        try await database.execute("UPDATE food SET name = 'newer'")
        await client.settled()
        #expect(runs().count == 1_000)
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }

    @Test func `D11 another process's commit reruns the requests of the whole table`() async throws {
        let folder = try TemporaryFolder()
        let database = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT)")
        let other = try await SQLiteDatabase.make(.file(folder.file()), "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT)")
        let client = client(of: database)
        let store = client.store(for: Name(id: 7).ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await other.execute("INSERT INTO food VALUES (7, 'new')")
        for await value in store.select(\.value) where value == "new" { break }
        subscription.cancel()
        await other.close()
        await database.close()
    }

    @Test func `D11 a fetch inside a fetch passes on its rows`() async throws {
        let database = try await filled()
        let client = client(of: database)
        let store = client.store(for: Pair(ids: [1, 3]).ttl(.infinity))
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        try await database.execute("UPDATE food SET name = 'new' WHERE id = 2")
        await client.settled()
        #expect(store.state.valueUpdateCount == 1)
        try await database.execute("UPDATE food SET name = 'new' WHERE id = 3")
        await client.settled()
        #expect(store.value == ["old", "new"])
        subscription.cancel()
        await database.close()
    }

    @Test(arguments: [(7, true), (8, false)])
    func `D11 a commit of a row between the snapshot and a later lookup of that row is not missed`(_ id: Int, _ isMissed: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let database = try await filled(.file(folder.file()))
        let gate = BlockingGate()
        let missed = Lock<[[SQLiteRegion]]>([])
        database.core.observeReads(with: RowObserver(missed: missed))
        async let read: Void = database.read { db in
            _ = try db.value(Int.self, "SELECT count(*) FROM other")
            gate.pass()
            _ = try db.value(String.self, "SELECT name FROM food WHERE id = \(7)")
        }
        await gate.arrival()
        try await database.execute("UPDATE food SET name = 'new' WHERE id = \(id)")
        gate.open()
        try await read
        #expect(missed.withLock { $0.map { $0.map(\.unredacted) } } == (isMissed ? [["food#7"]] : []))
        await database.close()
    }

    @Test func `D11 R22 a mutation's layer ends with the refetch of the row that it writes, and no other row is read again`()
        async throws
    {
        let database = try await filled()
        let client = client(of: database)
        let stores = [7, 8].map { client.store(for: Name(id: $0).ttl(.infinity)) }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await client.settled()
        _ = try await client.mutate(Rename(), with: 7)
        await client.settled()
        #expect(stores.map(\.value) == ["new", "old"])
        #expect(!stores[0].state.isOptimistic && stores[1].state.valueUpdateCount == 1)
        for subscription in subscriptions { subscription.cancel() }
        await database.close()
    }

    private func filled(_ location: SQLiteDatabase.Location = .inMemory) async throws -> SQLiteDatabase {
        let database = try await SQLiteDatabase.make(
            location,
            "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY)"
        )
        try await database.write { db in for id in 0..<10 { try db.execute("INSERT INTO food VALUES (\(id), 'old')") } }
        return database
    }
}

private final class RowObserver: ReadObserver {
    private let missed: Lock<[[SQLiteRegion]]>

    init(missed: Lock<[[SQLiteRegion]]>) { self.missed = missed }

    func note(_ list: RegionList, for run: SourceRun?) {}
    func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) { missed.withLock { $0.append(regions) } }
}
