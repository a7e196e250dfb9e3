import Foundation

/// The recoveries of a file that have not been acknowledged, stored in the file that replaced the damaged one.
enum RecoveryLog {
    static let table = "querykit_recoveries"

    /// Stores the unacknowledged reports of the damaged file, followed by the new one.
    static func begin(_ recovery: SQLiteReport.Recovery, on target: Connection, after earlier: [SQLiteReport.Recovery]) throws {
        try target.run("CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY AUTOINCREMENT, report TEXT NOT NULL) STRICT")
        for recovery in earlier + [recovery] {
            try target.run("INSERT INTO \(table) (report) VALUES (?)", [.text(try encode(recovery))])
        }
    }

    /// The stored reports, oldest first. Unreadable reports are skipped, so that they don't prevent the file from being opened.
    static func all(on connection: Connection) -> [SQLiteReport.Recovery] {
        guard (try? exists(on: connection)) == true else { return [] }
        let texts = try? connection.rows("SELECT report FROM \(table) ORDER BY id") { try $0[0] as String }
        return (texts ?? []).compactMap { try? JSONDecoder().decode(SQLiteReport.Recovery.self, from: Data($0.utf8)) }
    }

    /// Updates the location of the damaged file after a recovery that was finished later.
    static func setQuarantine(_ url: URL, on connection: Connection) throws {
        guard var newest = all(on: connection).last, newest.quarantine != url else { return }
        newest.quarantine = url
        try connection.run(
            "UPDATE \(table) SET report = ? WHERE id = (SELECT max(id) FROM \(table))",
            [.text(try encode(newest))]
        )
    }

    static func clear(on connection: Connection) throws {
        if try exists(on: connection) { try connection.run("DELETE FROM \(table)") }
    }

    private static func exists(on connection: Connection) throws -> Bool {
        try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '\(table)'") == 1
    }

    private static func encode(_ recovery: SQLiteReport.Recovery) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(recovery), as: UTF8.self)
    }
}
