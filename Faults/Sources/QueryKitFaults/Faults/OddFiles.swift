import Foundation
import QueryKitSQLite

/// The file isn't a database, or has a format that this SQLite doesn't know.
enum OddFiles {
    private static let migrations: SQLiteMigrations = [SQLiteMigration("t", "CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")]

    static func run(_ trial: Trial) async throws {
        await noFile(trial)
        try await strangeContent(trial)
        try await strangeNeighbors(trial)
    }

    private static func open(_ url: URL) async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .fail
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
        do {
            try await database.write { db in try db.execute("INSERT INTO t DEFAULT VALUES") }
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private static func noFile(_ trial: Trial) async {
        let manager = FileManager.default
        let missing = trial.file("missing/db.sqlite")
        await trial.expectError([.cannotOpen], saying: "missing", "a file in a folder that doesn't exist") { try await open(missing) }
        let folder = trial.file("folder.sqlite")
        try? manager.createDirectory(at: folder, withIntermediateDirectories: true)
        await trial.expectError([.cannotOpen], saying: "folder.sqlite", "a folder instead of the file") { try await open(folder) }
        await trial.expectError([.cannotOpen], saying: "folder.sqlite", "a folder, read") { _ = try await SQLiteReader.open(folder) }
        let nothing = trial.file("nothing.sqlite")
        await trial.expectError([.cannotOpen], saying: "nothing.sqlite", "reading a file that doesn't exist") {
            _ = try await SQLiteReader.open(nothing)
        }
        trial.check(!manager.fileExists(atPath: nothing.path(percentEncoded: false)), "a reader created the file that it didn't find")
        let circle = trial.file("circle.sqlite")
        try? manager.createSymbolicLink(at: circle, withDestinationURL: circle)
        await trial.expectOutcome("a link to itself") { try await open(circle) }
        await trial.expectOutcome("a name that is too long") { try await open(trial.file(String(repeating: "x", count: 300) + ".sqlite")) }
        await trial.expectOutcome("a path that is too long") {
            try await open(trial.file(String(repeating: "folder/", count: 1_000) + "db.sqlite"))
        }
        for name in ["with space ü 食.sqlite", "a?b#c%20.sqlite", "file:db.sqlite?mode=ro", "quote'\"semi;.sqlite", ":memory:"] {
            await trial.expectSuccess("a file called \(name)") {
                try await open(trial.folder.appending(path: name, directoryHint: .notDirectory))
            }
            trial.check(manager.fileExists(atPath: trial.folder.path(percentEncoded: false) + "/" + name), "no file is called \(name)")
        }
    }

    private static func strangeContent(_ trial: Trial) async throws {
        let empty = trial.file("empty.sqlite")
        try Data().write(to: empty)
        await trial.expectSuccess("an empty file") { try await open(empty) }
        var strange: [(String, [UInt8])] = [
            ("text", Array("Dear diary, today I ate rice.\n".utf8)), ("long text", Array(String(repeating: "rice ", count: 5_000).utf8)),
            ("one byte", [0]), ("zeros", [UInt8](repeating: 0, count: 8_192)),
            ("only the magic string", Array("SQLite format 3\0".utf8)),
        ]
        for size in [99, 100, 512, 4_096, 100_000] { strange.append(("\(size) random bytes", trial.dice.bytes(size))) }
        for (name, bytes) in strange {
            let url = trial.file("\(name).sqlite")
            try Data(bytes).write(to: url)
            // SQLite treats a file of one byte as empty.
            if bytes.count == 1 {
                await trial.expectOutcome("a file with \(name)") { try await open(url) }
            } else {
                await trial.expectError([.notADatabase, .corrupt], "a file with \(name)") { try await open(url) }
                trial.expect(try Data(contentsOf: url), Data(bytes), "a file with \(name), after it was refused")
            }
        }
        // A file with a newer write format can only be read; one with a newer read format can't be opened.
        for (byte, subject) in [(18, "writing"), (19, "reading")] {
            let url = trial.file("newer \(subject).sqlite")
            try await open(url)
            try change(url) { $0[byte] = 9 }
            await trial.expectError(
                [.notADatabase, .corrupt, .readOnly, .cannotOpen, .setting],
                "a file whose format for \(subject) is newer"
            ) {
                try await open(url)
            }
        }
        let encoded = trial.file("encoding.sqlite")
        try await open(encoded)
        try change(encoded) { $0[59] = 7 }
        await trial.expectOutcome("a file with an unknown text encoding") { try await open(encoded) }
    }

    /// Unexpected files beside the database.
    private static func strangeNeighbors(_ trial: Trial) async throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            for (name, bytes) in [("garbage", trial.dice.bytes(50_000)), ("nothing", []), ("a text", Array("rice".utf8))] {
                let url = trial.file("beside\(suffix) \(name).sqlite")
                try await open(url)
                try Data(bytes).write(to: URL(filePath: url.path(percentEncoded: false) + suffix))
                await trial.expectSuccess("\(name) instead of \(suffix)") { try await open(url) }
            }
            let url = trial.file("beside\(suffix) folder.sqlite")
            try await open(url)
            try FileManager.default.createDirectory(atPath: url.path(percentEncoded: false) + suffix, withIntermediateDirectories: true)
            await trial.expectOutcome("a folder instead of \(suffix)") { try await open(url) }
        }
    }

    private static func change(_ url: URL, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: url)
        change(&data)
        try data.write(to: url)
    }
}
