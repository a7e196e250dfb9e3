import Foundation

@testable import QueryKitSQLite

extension Connection {
    /// A connection to a database in memory with the tables that a test needs.
    static func make(_ script: String = "") throws -> Connection {
        let connection = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        _ = try connection.script(script, for: .writer)
        return connection
    }
}

extension SQLiteMigrations {
    /// A code that a later version of an app has added.
    static func + (left: SQLiteMigrations, right: SQLiteMigrations) -> SQLiteMigrations { SQLiteMigrations(left.steps + right.steps) }
}
