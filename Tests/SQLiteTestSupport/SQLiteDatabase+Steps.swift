package import QueryKitSQLite

extension SQLiteDatabase {
    /// A new database with the tables that a test needs.
    package static func make(
        _ location: Location = .temporary,
        _ script: StaticString = "",
        configure: (inout Configuration) -> Void = { _ in }
    ) async throws -> SQLiteDatabase {
        var configuration = Configuration()
        configure(&configuration)
        return try await open(location, migrations: [SQLiteMigration("tables", script)], configuration: configuration)
    }

    package func execute(_ sql: SQL) async throws { try await write { db in _ = try db.execute(sql) } }

    package func count(_ sql: SQL) async throws -> Int? { try await read { db in try db.value(Int.self, sql) } }
}
