import Foundation

@testable import QueryKitSQLite

/// A folder for the files of one test, deleted with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "querykit-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String = "test.sqlite") -> URL { url.appending(path: name) }

    func path(_ name: String = "test.sqlite") -> String { file(name).path(percentEncoded: false) }
}

extension SQLiteDatabase {
    /// A database of its own with the tables that a test needs.
    static func make(
        _ location: Location = .temporary,
        _ script: StaticString = "",
        configure: (inout Configuration) -> Void = { _ in }
    ) async throws -> SQLiteDatabase {
        var configuration = Configuration()
        configure(&configuration)
        return try await open(location, migrations: [SQLiteMigration("tables", script)], configuration: configuration)
    }

    func execute(_ sql: SQL) async throws { try await write { db in _ = try db.execute(sql) } }

    func count(_ sql: SQL) async throws -> Int? { try await read { db in try db.value(Int.self, sql) } }
}

extension Connection {
    /// A connection to a database in memory with the tables that a test needs.
    static func make(_ script: String = "") throws -> Connection {
        let connection = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        _ = try connection.script(script, for: .writer)
        return connection
    }
}

extension SQLiteMigrations {
    /// What a later version of an app has added.
    static func + (left: SQLiteMigrations, right: SQLiteMigrations) -> SQLiteMigrations { SQLiteMigrations(left.steps + right.steps) }
}
