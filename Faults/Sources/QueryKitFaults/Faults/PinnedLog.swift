import Foundation
import QueryKitSQLite

/// Another process reads one snapshot for a long time. Writes continue, the log grows, and becomes short again afterwards.
enum PinnedLog {
    private static let migrations: SQLiteMigrations = [
        SQLiteMigration("pages", "CREATE TABLE pages (id INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT")
    ]

    /// Reads one snapshot, after printing "held", until the parent allows it to continue.
    static let reader = Role("long-reader") { trial, arguments in
        let reader = try await SQLiteReader.open(URL(filePath: arguments[0]))
        let isSame = try await reader.read { db in
            let before = try db.value(Int.self, "SELECT sum(hash) FROM (SELECT length(body) * id AS hash FROM pages)")
            Role.say("held")
            _ = readLine()
            return try db.value(Int.self, "SELECT sum(hash) FROM (SELECT length(body) * id AS hash FROM pages)") == before
        }
        Role.say(isSame ? "same" : "other")
        _ = readLine()
        await reader.close()
    }

    static func run(_ trial: Trial) async throws {
        for isKilled in [false, true] {
            let url = trial.file("log\(isKilled).sqlite")
            let log = url.path(percentEncoded: false) + "-wal"
            let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
            try await write(database, commits: 1)
            let child = try Child(reader, of: trial, [url.path(percentEncoded: false)])
            trial.expect(await child.line(), "held", "the process that reads")

            // 100 pages per commit, and some for the tree and the change log.
            let commits = trial.plan.isShort ? 60 : 150
            try await write(database, commits: commits)
            let pinned = size(log)
            trial.check(pinned <= commits * 110 * 4_120 + (1 << 20), "the log has \(pinned) bytes, more than was written")
            trial.check(pinned > 20 << 20, "the log has \(pinned) bytes, so nothing was retained for the reader")
            trial.expect(try await newest(database), commits, "the newest commit while another process reads an older one")

            if isKilled {
                child.kill()
                trial.tally.kills += 1
            } else {
                child.say("go")
                trial.expect(await child.line(), "same", "what the other process saw at its end")
            }
            if isKilled { await child.end() }
            // The log is written back once it has grown by another thousand pages, and truncated at the next commit.
            try await write(database, commits: 12)
            let after = size(log)
            trial.check(after <= (16 << 20) + 65_536, "the log still has \(after) bytes after the reader has ended")
            trial.note(
                "\(pinned >> 20) MB of log while another process \(isKilled ? "read and was killed" : "read"), \(after >> 20) MB afterwards"
            )
            if !isKilled { await child.end() }
            await database.close()
            trial.expect(size(log), 0, "bytes of the log after closing")
        }
    }

    /// Writes the same hundred pages with each commit.
    private static func write(_ database: SQLiteDatabase, commits: Int) async throws {
        for _ in 0..<commits {
            try await database.write { db in
                let newest = try db.value(Int.self, "SELECT length(body) - 3000 FROM pages WHERE id = 1") ?? -1
                let replace = try db.prepare("INSERT OR REPLACE INTO pages (id, body) VALUES (?, randomblob(?))")
                for id in 1...100 { try replace.run(id, 3_000 + newest + 1) }
            }
        }
    }

    private static func newest(_ database: SQLiteDatabase) async throws -> Int {
        try await database.read { db in (try db.value(Int.self, "SELECT length(body) - 3000 FROM pages WHERE id = 100")) ?? -1 }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
