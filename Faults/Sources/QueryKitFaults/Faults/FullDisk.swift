import FoodDiaryKit
import Foundation
import QueryKitSQLite

/// The database has reached its limit, or the disk is full: that write fails, and nothing else does.
enum FullDisk {
    private static let migrations: SQLiteMigrations = [
        SQLiteMigration("rows", "CREATE TABLE rows (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, body BLOB NOT NULL) STRICT")
    ]

    static func run(_ trial: Trial) async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.maxPageCount = 100
        let url = trial.file("limit.sqlite")
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
        let committed = try await fill(trial, database, "a database at its limit")
        try await checkUnchanged(trial, database, committed, "a database at its limit")
        await trial.expectError([.full], "a write that continues after the error") {
            try await database.write { db in
                do { try insert(200, 100, db) } catch {}
                try db.execute("DELETE FROM rows WHERE batch = 1")
            }
        }
        try await checkUnchanged(trial, database, committed, "after an error that was caught")
        try await makeSpace(trial, database, committed)
        await database.close()

        guard MountSpace.isAvailable else { return trial.note(MountSpace.skipped) }
        let child = try Child(filler, of: trial, mounting: "mount -t tmpfs -o size=3m tmpfs \"$3\"")
        await trial.adopt(child, "a small disk")
    }

    /// The same on a disk of three megabytes. A file that can be removed reserves one of them.
    static let filler = Role("disk-filler") { trial, _ in
        let export = trial.file("export.csv")
        try Data("old".utf8).write(to: export)
        let ballast = trial.file("ballast")
        try Data(count: 1 << 20).write(to: ballast)
        let suspended = try await SQLiteDatabase.open(.file(trial.file("suspended.sqlite")), migrations: migrations)
        try await suspended.write { db in try insert(1, 10, db) }
        await suspended.suspend()
        let url = trial.file("disk.sqlite")
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        var committed = try await fill(trial, database, "a full disk")
        try await checkUnchanged(trial, database, committed, "a full disk")
        await database.close()

        // The database can be opened and read in this state, and written once there is space.
        let again = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        trial.expect(again.report.unacknowledged.map(\.cause), [], "reports of a full disk, reopened")
        try await checkUnchanged(trial, again, committed, "a full disk, reopened")
        // Closing has written the log back, which has freed space.
        committed += try await fill(trial, again, "a full disk, reopened", from: committed)
        try FileManager.default.removeItem(at: ballast)
        try await makeSpace(trial, again, committed)
        await again.close()

        // The same on a disk that is completely full before a database exists, or before one is opened again.
        let filler = trial.file("filler")
        try Data().write(to: filler)
        let handle = try FileHandle(forWritingTo: filler)
        for size in [65_536, 4_096, 512, 1] { while (try? handle.write(contentsOf: Data(count: size))) != nil {} }
        try handle.close()
        await trial.expectError([.full, .inputOutput, .cannotOpen], "creating a database on a full disk") {
            _ = try await SQLiteDatabase.open(.file(trial.file("new.sqlite")), migrations: migrations)
        }
        await checkExport(trial, to: export)
        await checkReading(trial, suspended)
        // The space may be taken by the log of the first database, or by the file that fills the disk.
        for file in [filler, url, trial.file("disk.sqlite-wal")] { try? FileManager.default.removeItem(at: file) }
        await trial.expectSuccess("reading a suspended database when there is space") {
            let count = try await suspended.read { db in try db.value(Int.self, "SELECT count(*) FROM rows") }
            trial.expect(count, 10, "rows of a suspended database")
        }
        await suspended.close()
        await trial.expectSuccess("creating that database when there is space") {
            let new = try await SQLiteDatabase.open(.file(trial.file("new.sqlite")), migrations: migrations)
            try await new.write { db in try insert(1, 10, db) }
            await new.close()
        }
        trial.note("\(committed) commits on a small disk")
        trial.report()
    }

    /// Without space for the index of its log, SQLite can't even read a database. The error says that the disk is full.
    ///
    /// - Parameter database: A suspended database, which has no log.
    private static func checkReading(_ trial: Trial, _ database: SQLiteDatabase) async {
        let url = trial.file("suspended.sqlite")
        let text = "\(url.path(percentEncoded: false)): the disk is full. Reading fails too"
        await trial.expectError([.full], saying: text, "opening a database on a full disk") {
            let other = try await SQLiteDatabase.open(.file(url), migrations: migrations)
            await other.close()
        }
        await trial.expectError([.full], saying: text, "opening a reader on a full disk") {
            let reader = try await SQLiteReader.open(url)
            await reader.close()
        }
        database.resume()
        await trial.expectError([.full], saying: text, "reading a database that was suspended while the disk became full") {
            _ = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM rows") }
        }
    }

    /// An export without enough space must keep the old file unchanged and leave no other file.
    private static func checkExport(_ trial: Trial, to url: URL) async {
        let diary = InMemoryFoodDiary()
        do {
            let drafts = (1...2_000).map { Ingredient.Draft(name: "Food \($0)", nutrients: Nutrients(kilocalories: 52)) }
            for draft in drafts { _ = try await diary.save(draft, as: nil, correctingHistory: false) }
            try await FoodDiaryFile(url).exportIngredients(of: diary, replacing: true)
            trial.fail("an export to a full disk succeeded")
        } catch {
            trial.check("\(error)".hasPrefix("The disk is full: \(url.path) was not written."), "an export to a full disk: \(error)")
        }
        trial.check((try? Data(contentsOf: url)) == Data("old".utf8), "an export to a full disk changed the old file")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: trial.folder.path)) ?? []
        trial.check(!names.contains { $0.hasSuffix(".part") }, "an export to a full disk left a file")
    }

    @Sendable private static func insert(_ batch: Int, _ count: Int, _ db: SQLiteWriteTransaction) throws {
        let insert = try db.prepare("INSERT INTO rows (batch, body) VALUES (?, randomblob(3000))")
        for _ in 0..<count { try insert.run(batch) }
    }

    /// Writes batches of ten rows until one doesn't fit, and returns the number of complete batches.
    private static func fill(_ trial: Trial, _ database: SQLiteDatabase, _ subject: String, from start: Int = 0) async throws -> Int {
        for batch in (start + 1)...(start + 1_000) {
            do {
                try await database.write { db in try insert(batch, 10, db) }
            } catch let error as SQLiteError {
                trial.check(error.code == .full, "\(subject): the error is \(error)")
                return batch - 1 - start
            }
        }
        trial.fail("\(subject): it never becomes full")
        return 1_000
    }

    private static func checkUnchanged(_ trial: Trial, _ database: SQLiteDatabase, _ batches: Int, _ subject: String) async throws {
        let (count, newest, damage) = try await database.read { db in
            (
                try db.value(Int.self, "SELECT count(*) FROM rows"), try db.value(Int.self, "SELECT max(batch) FROM rows"),
                try db.value(String.self, "PRAGMA integrity_check")
            )
        }
        trial.expect(count, batches * 10, "\(subject): rows")
        trial.expect(newest, batches, "\(subject): the newest batch")
        trial.expect(damage, "ok", "\(subject): its integrity")
    }

    private static func makeSpace(_ trial: Trial, _ database: SQLiteDatabase, _ committed: Int) async throws {
        await trial.expectSuccess("deleting in a full database") {
            try await database.write { db in _ = try db.execute("DELETE FROM rows WHERE batch <= 3") }
        }
        await trial.expectSuccess("writing when there is space again") {
            try await database.write { db in try insert(committed + 1, 20, db) }
        }
        let count = try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM rows") ?? -1 }
        trial.expect(count, (committed - 3) * 10 + 20, "rows after that")
    }
}
