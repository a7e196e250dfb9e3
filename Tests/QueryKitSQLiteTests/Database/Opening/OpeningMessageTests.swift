import Foundation
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// The texts of errors while a file is opened: what happened, where, and what to do next.
struct OpeningMessageTests {
    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private var path: String { url.path(percentEncoded: false) }

    /// The message of the error if damage must not be repaired.
    private func refusal(_ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }) async -> String? {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = .fail
        change(&configuration)
        let error = await #expect(throws: SQLiteError.self) {
            try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
        }
        return error?.message
    }

    private let advice = "Restore a backup, or set the configuration's damage to .recover, which saves what can be read."

    // MARK: The file system

    /// An error of SQLite while a connection is opened, by its extended code, and whether the disk is full.
    private static let failures: [(extendedCode: Int32, isDiskFull: Bool, code: SQLiteError.Code, advice: String?)] = [
        // SQLITE_IOERR_SHMSIZE, _SHMMAP, _WRITE and _FSYNC, SQLITE_CANTOPEN and SQLITE_FULL.
        (4_874, true, .full, full), (5_386, true, .full, full), (778, true, .full, full), (1_034, true, .full, full),
        (14, true, .full, full), (13, true, .full, full),
        // The same errors for another reason.
        (4_874, false, .inputOutput, nil), (778, false, .inputOutput, nil), (13, false, .full, nil), (14, false, .cannotOpen, access),
        // SQLITE_CANTOPEN_ISDIR, SQLITE_PERM, SQLITE_READONLY_DIRECTORY, and SQLITE_AUTH, which Apple's SQLite reports for a locked device.
        (526, false, .cannotOpen, access), (3, false, .permission, access), (1_544, false, .readOnly, access),
        (3, true, .permission, access), (1_544, true, .readOnly, access), (23, false, .permission, access),
        // Errors that have nothing to do with the space on the disk.
        (11, true, .corrupt, nil), (5, true, .busy, nil), (26, true, .notADatabase, nil),
    ]
    private static let full =
        "a.db: the disk is full. Reading fails too, because SQLite needs space for a file next to the database. Free some space."
    private static let access = "a.db: the reason. Check that the file can be read and written."

    @Test(arguments: 0..<failures.count)
    func `D9 a full disk that hinders reading is named as such, and each error of the file system has advice`(_ index: Int) {
        let failure = Self.failures[index]
        let error = SQLiteError(SQLiteError.Code(rawValue: failure.extendedCode & 0xff), "the reason", extendedCode: failure.extendedCode)
        let explained = ConnectionOpener.explained(error, "a.db", isDiskFull: failure.isDiskFull)
        #expect(explained == SQLiteError(failure.code, failure.advice ?? "the reason", extendedCode: failure.extendedCode))
    }

    // MARK: Damaged files

    @Test(
        arguments: [
            // The format number of the schema, and the version that is required for writing.
            (47, "its header has an unknown format number"), (18, "its header doesn't allow writing"),
        ]
    )
    func `D9 the error for a header from no known version has the path and says what to do`(_ offset: Int, _ what: String) async throws {
        var bytes = try await Pantry.file()
        bytes[offset] = 9
        try Data(bytes).write(to: url)
        #expect(await refusal() == "\(path): The file is damaged: \(what). \(advice)")
    }

    @Test func `D9 the error for a file whose schema has disappeared has the path and says what to do`() async throws {
        var bytes = try await Pantry.file()
        // The number of entries on the first page.
        bytes.replaceSubrange(103..<105, with: [0, 0])
        try Data(bytes).write(to: url)
        let pages = bytes.count / PantryPages.size
        #expect(await refusal() == "\(path): The file is damaged: it has \(pages) pages, but no tables. \(advice)")
    }

    @Test func `D9 the error for a column name that is not text has the path and says what to do`() async throws {
        var bytes = try await Pantry.file()
        let name = try #require(bytes.firstRange(of: Array("checksum INTEGER".utf8)))
        bytes[name.lowerBound] = 0xff
        try Data(bytes).write(to: url)
        #expect(
            await refusal { $0.check = .schema }
                == "\(path): The file is damaged: its schema can't be read. Column 0 (name): the text is not valid UTF-8. \(advice)"
        )
    }

    @Test func `D9 the error for a migration at the wrong position has its name`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        do {
            let connection = try Connection(path: path, settings: ConnectionSettings(mode: .readWrite))
            try connection.run("UPDATE querykit_migrations SET position = 7 WHERE name = 'settings'")
        }
        #expect(await refusal() == "\(path): The file is damaged: the migration \"settings\" is at the wrong position. \(advice)")
    }

    @Test func `D9 the error for a list of migrations that can't be read has the column, the path and says what to do`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        do {
            let connection = try Connection(path: path, settings: ConnectionSettings(mode: .readWrite))
            // The original table is STRICT.
            try connection.run("DROP TABLE querykit_migrations")
            try connection.run("CREATE TABLE querykit_migrations (position, name, checksum, date)")
            try connection.run("INSERT INTO querykit_migrations VALUES (1, 'food', 'none', 0), (2, 'settings', 'none', 0)")
        }
        let reason = "Column 1 (checksum): expected an integer, found a text."
        #expect(
            await refusal() == "\(path): The file is damaged: the list of applied migrations can't be read. \(reason) \(advice)"
        )
    }

    @Test func `D9 the error for an empty file with a log has the path and says what to do`() async throws {
        try Data().write(to: url)
        try Data(repeating: 7, count: 100).write(to: URL(filePath: path + "-wal"))
        let lost = "The file \(path) is empty, but the log next to it is not: the contents of the file are lost."
        #expect(await refusal() == "\(lost) \(advice)")
        let error = await #expect(throws: SQLiteError.self) { try await SQLiteReader.open(url) }
        #expect(error?.message == "\(lost) Open it with SQLiteDatabase, which saves what can be read.")
    }

    // MARK: Paths

    @Test func `the error for a path that is too long has the path`() async throws {
        let url = URL(filePath: folder.path(of: String(repeating: "a", count: 300)))
        let error = await #expect(throws: SQLiteError.self) { try await SQLiteDatabase.open(.file(url)) }
        let reason = String(cString: strerror(ENAMETOOLONG))
        #expect(
            error?.message
                == "\(url.path) can't be created: \(reason). Check that the folder is writable and that the disk has space."
        )
    }

    @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
    func `the error for a file that can't be written has its path`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
        #expect(await refusal() == "\(path): The file can't be written. Check that the file can be read and written.")
    }

    @Test func `the error for a log that can't be opened has the path of the database`() async throws {
        try Data(try await Pantry.file()).write(to: url)
        try FileManager.default.createDirectory(atPath: path + "-wal", withIntermediateDirectories: false)
        #expect(await refusal() == "\(path): unable to open database file. Check that the file can be read and written.")
    }

    @Test func `the error for a database that can't have a log has both journal modes`() {
        let error = #expect(throws: SQLiteError.self) {
            // Not the way to open a database in memory: SQLite keeps its journal in memory too.
            try Connection(path: ":memory:", settings: ConnectionSettings(mode: .readWrite))
        }
        #expect(error?.message == "The database can't use the journal mode \"wal\": it uses \"memory\". Store it on a local disk.")
    }
}
