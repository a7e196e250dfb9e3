package import Foundation
package import QueryKit
package import QueryKitSQLite

extension QueryDependencies {
    package var packing: QueryDependency<PackingList> { .required() }
}

/// A packing list in a file. Independent of requests: the database itself notes what a query reads and a commit writes.
package struct PackingList: Sendable {
    package let database: SQLiteDatabase

    private static let migrations: SQLiteMigrations = [
        SQLiteMigration("items", "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
    ]

    package static func open(_ file: URL) async throws -> PackingList {
        PackingList(database: try await .open(.file(file), migrations: migrations))
    }

    /// Opens the file, adds an item, and closes the file.
    package static func add(_ name: String, to file: URL) async throws {
        let list = try await open(file)
        do {
            try await list.add(name)
        } catch {
            await list.database.close()
            throw error
        }
        await list.database.close()
    }

    package func items() async throws -> [String] {
        try await database.read { db in try db.values(String.self, "SELECT name FROM items ORDER BY id") }
    }

    package func count() async throws -> Int {
        try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM items") ?? 0 }
    }

    package func add(_ names: String...) async throws {
        try await database.write { db in
            for name in names { try db.execute("INSERT INTO items (name) VALUES (\(name))") }
        }
    }
}
