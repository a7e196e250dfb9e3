import Foundation
import QueryKitSQLite

/// The disk, the folder or the file can't be written, or not even read: the error must say so and name the file.
enum ReadOnlyPlaces {
    private static let migrations: SQLiteMigrations = [SQLiteMigration("t", "CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")]

    /// A user who is neither root nor the owner of any file.
    private static let nobody: UInt32 = 65_534

    static func run(_ trial: Trial) async throws {
        try await make(trial.file("old.sqlite"))
        if MountSpace.isAvailable {
            let child = try Child(visitor, of: trial, mounting: "mount --bind \"$3\" \"$3\" && mount -o remount,bind,ro \"$3\"")
            await trial.adopt(child, "a disk that can't be written")
        } else {
            trial.note(MountSpace.skipped)
        }
        if getuid() == 0 {
            try await prepareFolders(trial)
            await trial.adopt(try Child(stranger, of: trial), "a user without permission")
        } else {
            trial.note("not root, so the part with a user without permission is skipped")
        }
    }

    private static func make(_ url: URL) async throws {
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        try await database.write { db in try db.execute("INSERT INTO t DEFAULT VALUES") }
        await database.close()
    }

    static let visitor = Role("visitor") { trial, _ in
        let old = trial.file("old.sqlite")
        await expectRefusal(trial, old, "opening a file on a disk that can't be written")
        await expectRefusal(trial, trial.file("new.sqlite"), "creating a file there")
        await expectReading(trial, old, "reading a file there")
        trial.report()
    }

    /// Creates folders with various missing permissions.
    private static func prepareFolders(_ trial: Trial) async throws {
        let manager = FileManager.default
        let modes: [(String, file: Int, folder: Int)] = [
            ("readable", 0o444, 0o755), ("secret", 0o600, 0o755), ("writable", 0o666, 0o755), ("closed", 0o666, 0o700),
            ("open", 0o444, 0o777),
        ]
        for (name, fileMode, folderMode) in modes {
            let folder = trial.file(name)
            try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appending(path: "old.sqlite")
            try await make(url)
            try manager.setAttributes([.posixPermissions: fileMode], ofItemAtPath: url.path(percentEncoded: false))
            try manager.setAttributes([.posixPermissions: folderMode], ofItemAtPath: folder.path(percentEncoded: false))
        }
        // All users may enter the parent folders.
        for folder in [trial.folder, trial.folder.deletingLastPathComponent()] {
            try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(percentEncoded: false))
        }
    }

    static let stranger = Role("stranger") { trial, _ in
        guard setgid(nobody) == 0, setuid(nobody) == 0 else { throw CocoaError(.userCancelled) }
        func old(_ folder: String) -> URL { trial.file(folder).appending(path: "old.sqlite") }
        for folder in ["readable", "secret", "writable", "closed"] {
            await expectRefusal(trial, old(folder), "opening a file of the folder \"\(folder)\"")
        }
        for folder in ["readable", "closed"] {
            await expectRefusal(trial, trial.file(folder).appending(path: "new.sqlite"), "creating a file in the folder \"\(folder)\"")
        }
        // A log can be created there, so the first write at the latest must fail.
        await trial.expectError([.readOnly], "writing to a read-only file") {
            let database = try await SQLiteDatabase.open(.file(old("open")), migrations: migrations)
            try await database.write { db in _ = try db.execute("INSERT INTO t DEFAULT VALUES") }
        }
        await expectReading(trial, old("readable"), "reading a file in a folder that can't be written")
        await expectReading(trial, old("secret"), "reading a file without read permission")
        await expectReading(trial, old("closed"), "reading a file in a folder that can't be entered")
        trial.report()
    }

    private static func expectRefusal(_ trial: Trial, _ url: URL, _ subject: String) async {
        await trial.expectError([.cannotOpen, .permission, .readOnly, .inputOutput], saying: url.lastPathComponent, subject) {
            let database = try await SQLiteDatabase.open(.file(url), migrations: migrations)
            await database.close()
        }
    }

    /// Reading must succeed, or the error must say what is missing.
    private static func expectReading(_ trial: Trial, _ url: URL, _ subject: String) async {
        let error = await trial.expectOutcome(subject) {
            let reader = try await SQLiteReader.open(url)
            let count = try await reader.read { db in try db.value(Int.self, "SELECT count(*) FROM t") }
            trial.expect(count, 1, subject)
            await reader.close()
        }
        if let error { trial.check(error.message.contains(url.lastPathComponent), "\(subject): the error names no file: \(error)") }
    }
}
