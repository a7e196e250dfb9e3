import Foundation
import QueryKit
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// A file that several processes recover, replace or leave behind.
struct RecoveryOfManyTests {
    private let folder: WatchedFolder
    private let url: URL
    private let sound: [UInt8]
    private let damaged: [UInt8]

    init() async throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
        sound = try await Pantry.file()
        damaged = Array(repeating: 0, count: 16) + sound.dropFirst(16)
        try Data(damaged).write(to: url)
    }

    private func open(
        _ migrations: SQLiteMigrations = Pantry.migrations,
        _ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }
    ) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        configuration.busyTimeout = .milliseconds(30)
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
    }

    private var names: Set<String> { get throws { try Set(FileManager.default.contentsOfDirectory(atPath: folder.path)) } }

    @Test func `D9 a recovery that can't get the lock leaves the lock holder's draft alone`() async throws {
        let holder = try DamagedFile(url.path)
        try holder.lock(milliseconds: 0)
        #expect(holder.isExclusive)
        try folder.make("pantry.sqlite.recovering")
        var configuration = SQLiteDatabase.Configuration()
        configuration.busyTimeout = .zero
        let recovery = Recovery(url.path, inode: Disk.inode(url.path), Pantry.migrations, configuration)
        #expect(
            throws: SQLiteError(
                .busy,
                "\(url.path) is damaged, and can't be recovered while another process, or another SQLiteDatabase of this process, has it open. Close it there."
            )
        ) { try recovery.run() }
        #expect(try names == ["pantry.sqlite", "pantry.sqlite.recovering"])
        withExtendedLifetime(holder) {}
    }

    @Test func `D9 a recovery meant for a replaced file does not touch the new one`() throws {
        let recovery = Recovery(url.path, inode: Disk.inode(folder.path), Pantry.migrations, SQLiteDatabase.Configuration())
        guard case .overtaken = try recovery.run() else {
            Issue.record("The file was recovered.")
            return
        }
        #expect(try names == ["pantry.sqlite"])
        #expect(Array(try Data(contentsOf: url)) == damaged)
    }

    private final class Once: Sendable {
        private let isDone = Lock(false)
        var isFirst: Bool {
            isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
        }
    }

    @Test func `D9 an opening that is overtaken by another recovery migrates the new file`() async throws {
        try Data(sound).write(to: url)
        let other = folder.path(of: "other.sqlite")
        try Data(sound).write(to: URL(filePath: other))
        let (path, once) = (url.path, Once())
        let late: SQLiteMigrations = [
            SQLiteMigration("late", revision: 1) { db in
                if once.isFirst {
                    // Another process finds damage and recovers the file.
                    for log in ["-wal", "-shm"] { try Disk.remove(path + log) }
                    try Disk.move(other, to: path)
                    throw SQLiteError(.corrupt, "The file is damaged.")
                }
                try db.execute("CREATE TABLE late (id INTEGER PRIMARY KEY)")
            }
        ]
        let database = try await open(SQLiteMigrations(Pantry.migrations.steps + late.steps))
        #expect(database.report.outcome == .healthy)
        #expect(database.report.migrated == ["late"])
        let count = try await database.read { db in
            try db.value(Int.self, "SELECT (SELECT count(*) FROM late) + (SELECT count(*) FROM notes)")
        }
        #expect(count == 400)
        await database.close()
        #expect(try names == ["pantry.sqlite"])
    }

    @Test func `D9 a recovery overtaken by another one while in use reports a change of everything`() async throws {
        try Data(sound).write(to: url)
        let database = try await open()
        var changes = database.changes.makeAsyncIterator()
        let number = database.core.feed.number
        #expect(try await database.core.recover(from: SQLiteError(.corrupt, ""), in: Disk.inode(folder.path)) == false)
        #expect(database.core.feed.number > number)
        let change = await changes.next()
        #expect(change?.regions == [.everything])
        #expect(change?.origin == .otherProcess)
        #expect(database.report.outcome == .healthy)
    }

    @Test(arguments: ["recovered", "recovered-1-1"])
    func `D9 a leftover file of another recovery is not touched`(_ suffix: String) async throws {
        try Data(sound).write(to: url)
        try Data("leftover".utf8).write(to: URL(filePath: "\(url.path).\(suffix)"))
        let database = try await open()
        #expect(database.report.outcome == .healthy)
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") } == 400)
        await database.close()
        #expect(try names == ["pantry.sqlite", "pantry.sqlite.\(suffix)"])
    }

    @Test(arguments: [true, false])
    func `D9 an interrupted recovery is not completed over a restored file, or if damage must not be repaired`(_ isRestored: Bool)
        async throws
    {
        struct Kill: Error {}
        try Data(sound).write(to: URL(filePath: FileReplacement(url.path).draft))
        var replacement = FileReplacement(url.path)
        replacement.didStep = { _ in throw Kill() }
        do {
            let file = try DamagedFile(url.path)
            #expect(throws: Kill.self) { try replacement.replace(file) }
        }
        #expect(replacement.isPending)
        if isRestored {
            let backup = folder.path(of: "backup")
            try Data(try await Pantry.file()).write(to: URL(filePath: backup))
            try Disk.move(backup, to: url.path)
            #expect(!replacement.isPending)
            let database = try await open()
            #expect(database.report.outcome == .healthy)
        } else {
            await #expect(throws: SQLiteError.self) { try await open { $0.damage = .fail } }
            #expect(Array(try Data(contentsOf: url)) == damaged)
            #expect(replacement.isPending)
        }
    }

    @Test(arguments: 1...3) func `D9 a replacement that fails before its last step is undone`(_ step: Int) throws {
        try Data("a log".utf8).write(to: URL(filePath: url.path + "-wal"))
        try Data(sound).write(to: URL(filePath: FileReplacement(url.path).draft))
        var replacement = FileReplacement(url.path)
        replacement.didStep = { if $0 == step { throw SQLiteError(.full, "The disk is full.") } }
        let file = try DamagedFile(url.path)
        #expect(throws: SQLiteError.self) { try replacement.replace(file) }
        #expect(try names == ["pantry.sqlite", "pantry.sqlite-wal"])
        #expect(try String(contentsOfFile: url.path + "-wal", encoding: .utf8) == "a log")
        #expect(Array(try Data(contentsOf: url)) == damaged)
    }

    @Test func `D9 if a replacement can't be completed, the database is opened in memory`() async throws {
        // A folder at the path of the new file: it can't be moved over the old one.
        let fingerprint = try #require(Disk.fingerprint(url.path))
        let complete = "\(url.path).recovered-\(fingerprint)"
        try FileManager.default.createDirectory(atPath: complete, withIntermediateDirectories: false)
        let database = try await open()
        guard case .inMemory = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") } == 400)
        #expect(Array(try Data(contentsOf: url)) == damaged)
    }

    @Test func `D9 if the file name is too long for files beside it, each opening is in memory`() async throws {
        let long = URL(filePath: folder.path(of: String(repeating: "x", count: 228) + ".sqlite"))
        try Data(damaged).write(to: long)
        for _ in 0..<2 {
            let database = try await SQLiteDatabase.open(.file(long), migrations: Pantry.migrations)
            guard case .inMemory = database.report.outcome else {
                Issue.record("\(database.report.outcome)")
                return
            }
            #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") } == 400)
            await database.close()
        }
        #expect(try names == ["pantry.sqlite", long.lastPathComponent])
    }

    @Test func `D9 a database whose rows can't be moved to memory keeps its file`() async throws {
        struct Refusal: Error {}
        try Data(sound).write(to: url)
        var pages = PantryPages(bytes: sound)
        pages.zero(pages.leaves(below: try Pantry.rootPage(of: "notes", in: url))[1])
        try Data(pages.bytes).write(to: url)
        let once = Once()
        let picky: SQLiteMigrations = [SQLiteMigration("picky", revision: 1) { _ in if !once.isFirst { throw Refusal() } }]
        let database = try await open(SQLiteMigrations(Pantry.migrations.steps + picky.steps))
        try FileManager.default.createDirectory(atPath: url.path + ".recovering", withIntermediateDirectories: false)
        #expect(await database.repair(after: SQLiteError(.corrupt, "")) == false)
        #expect(database.core.opener.path != nil)
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM food") } == 400)
    }

    @Test func `D9 D10 backing up a database in memory does not overwrite its damaged file`() async throws {
        try FileManager.default.createDirectory(atPath: url.path + ".recovering", withIntermediateDirectories: false)
        let database = try await open()
        await #expect { try await database.backup(to: url) } throws: { ($0 as? SQLiteError)?.code == .misuse }
        #expect(Array(try Data(contentsOf: url)) == damaged)
        let copy = URL(filePath: folder.path(of: "copy.sqlite"))
        try await database.backup(to: copy)
        let copied = try await SQLiteDatabase.open(.file(copy), migrations: Pantry.migrations)
        #expect(try await copied.read { db in try db.value(Int.self, "SELECT count(*) FROM notes") } == 400)
    }

    @Test func `D9 the rows of a damaged file that can't be written are recovered into memory`() throws {
        // Like a file opened for reading only, which can be locked only for reading.
        let file = try DamagedFile(url.path, isReadOnly: true)
        try file.lock(milliseconds: 0)
        #expect(!file.isExclusive)
        let recovery = Recovery(url.path, inode: Disk.inode(url.path), Pantry.migrations, SQLiteDatabase.Configuration())
        guard case .impossible(let reason, let locked?) = try recovery.run(with: file) else {
            Issue.record("The file was recovered.")
            return
        }
        defer { locked.copy.remove() }
        #expect(reason.contains("can't be written"))
        let target = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        #expect(try Salvage(from: locked.copy.path, to: target, Pantry.migrations, .init()).rows["notes"] == 400)
        #expect(try names == ["pantry.sqlite"])
    }

    @Test func `D10 leftovers of interrupted copies are removed by the next copy once no process can be writing them`() async throws {
        try Data(sound).write(to: url)
        let copy = URL(filePath: folder.path(of: "copy.sqlite"))
        let old = "copy.sqlite.\(UUID().uuidString).backup"
        let kept = ["copy.sqlite.\(UUID().uuidString).backup", "copy.sqlite.mine.backup", "other.\(UUID().uuidString).backup"]
        for name in [old, old + "-journal"] + kept { try folder.make(name) }
        for name in [old, old + "-journal", kept[1], kept[2]] {
            let date = Date(timeIntervalSinceNow: -100_000)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path(of: name))
        }
        let database = try await open()
        try await database.backup(to: copy)
        await database.close()
        #expect(try names == Set(kept).union(["copy.sqlite", "pantry.sqlite"]))
    }
}
