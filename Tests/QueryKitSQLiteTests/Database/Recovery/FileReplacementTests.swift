import Foundation
import QueryKit
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// A recovery that is interrupted at each of its steps.
struct FileReplacementTests {
    private struct Kill: Error {}

    private let folder: WatchedFolder
    private let path: String

    init() throws {
        folder = try WatchedFolder()
        path = folder.path(of: "pantry.sqlite")
    }

    /// A database with a log whose rows are in no other file yet, and the draft of its replacement.
    private func prepare() async throws -> (file: Data, log: Data) {
        let old = try await SQLiteDatabase.open(.file(URL(filePath: path)), migrations: Pantry.migrations)
        try await old.checkpoint()
        try await old.write { db in try db.execute("INSERT INTO notes (text) VALUES ('old')") }
        let file = try Data(contentsOf: URL(filePath: path))
        let log = try Data(contentsOf: URL(filePath: path + "-wal"))
        await old.close()
        try file.write(to: URL(filePath: path))
        let draft = URL(filePath: FileReplacement(path).draft)
        let new = try await SQLiteDatabase.open(.file(draft), migrations: Pantry.migrations)
        try await new.write { db in try db.execute("INSERT INTO notes (text) VALUES ('new')") }
        await new.close()
        try log.write(to: URL(filePath: path + "-wal"))
        return (file, log)
    }

    private func texts(_ name: String) async throws -> [String] {
        let database = try await SQLiteDatabase.open(.file(URL(filePath: name)), migrations: Pantry.migrations)
        let texts = try await database.read { db in try db.values(String.self, "SELECT text FROM notes") }
        await database.close()
        return texts
    }

    @Test(arguments: 1...4) func `D9 an interrupted replacement is completed by the next opening`(_ step: Int) async throws {
        let old = try await prepare()
        var replacement = FileReplacement(path)
        replacement.didStep = { if $0 == step { throw Kill() } }
        let file = try DamagedFile(path)
        #expect(throws: Kill.self) { try replacement.replace(file) }

        let database = try await SQLiteDatabase.open(.file(URL(filePath: path)), migrations: Pantry.migrations)
        #expect(try await database.read { db in try db.values(String.self, "SELECT text FROM notes") } == ["new"])
        await database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let quarantines = names.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }
        for name in quarantines { #expect(try Data(contentsOf: URL(filePath: folder.path(of: name))) == old.file) }
        // The original file and its log exist under at least one name.
        let whole = quarantines.filter { names.contains($0 + "-wal") }
        try #require(!whole.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: folder.path(of: whole[0] + "-wal"))) == old.log)
        // Each repeated step starts from what the first attempt has left.
        if step < 4 { #expect(quarantines.count == 1) }
        #expect(names.filter { !$0.contains(".damaged-") } == ["pantry.sqlite"])
        #expect(try await texts(folder.path(of: whole[0])) == ["old"])
        if step < 4 {
            guard case .recovered(let recovery) = database.report.outcome else {
                Issue.record("\(database.report.outcome)")
                return
            }
            #expect(recovery.rows["notes"] == 1)
            #expect(recovery.incomplete == Pantry.tables)
        }
    }

    @Test func `D9 a replacement interrupted while it moves the log keeps the log with the damaged file`() async throws {
        let old = try await prepare()
        var replacement = FileReplacement(path)
        replacement.didStep = { if $0 == 2 { throw Kill() } }
        do {
            let file = try DamagedFile(path)
            #expect(throws: Kill.self) { try replacement.replace(file) }
        }
        for suffix in ["-shm", "-wal"] { try Disk.remove(path + suffix) }
        #expect(try await texts(path) == ["new"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".damaged-") }.sorted()
        #expect(names.count == 2 && names[1] == names[0] + "-wal")
        #expect(try Data(contentsOf: URL(filePath: folder.path(of: names[1]))) == old.log)
    }

    @Test func `D9 if the damaged file is deleted before it is replaced, the error has its path`() async throws {
        _ = try await prepare()
        let file = try DamagedFile(path)
        try Disk.remove(path)
        let missing = SQLiteError(.cannotOpen, "The file \(path) no longer exists, so it can't be recovered. Restore a backup.")
        #expect(throws: missing) { try FileReplacement(path).replace(file) }
        #expect(throws: missing) { try FileReplacement(path).finish(file) }
    }

    @Test func `D9 an interrupted replacement that can't be completed is reported with the reason, and undone`() async throws {
        let old = try await prepare()
        // A folder in place of the new file can't be moved to the path of a file.
        let new = "\(path).recovered-\(try #require(Disk.fingerprint(path)))"
        try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
        let recovery = Recovery(path, inode: Disk.inode(path), Pantry.migrations, SQLiteDatabase.Configuration())
        let reason = "\(new) can't be moved to \(path): \(String(cString: strerror(ENOTDIR)))."
        #expect(
            throws: SQLiteError(.corrupt, "The file is damaged, and its interrupted recovery can't be finished: \(reason)")
        ) { try recovery.finish() }
        #expect(try Data(contentsOf: URL(filePath: path)) == old.file)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == old.log)
    }

    @Test func `D9 a recovery interrupted before its draft is complete starts over`() async throws {
        let old = try await prepare()
        // A kill in the middle leaves a draft, and a copy to read from.
        try Data("half".utf8).write(to: URL(filePath: path + ".recovering-journal"))
        try Data("half".utf8).write(to: URL(filePath: path + ".scratch"))
        var file = old.file
        file.replaceSubrange(file.startIndex..<file.startIndex + 16, with: Data(repeating: 0, count: 16))
        try file.write(to: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path + "-wal")
        let database = try await SQLiteDatabase.open(.file(URL(filePath: path)), migrations: Pantry.migrations)
        guard case .recovered = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        await database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.count == 2 && names.contains("pantry.sqlite"))
    }
}
