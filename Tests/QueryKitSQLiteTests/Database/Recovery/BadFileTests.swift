import Foundation
import QueryKit
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// Files that are not databases, or can't be opened.
struct BadFileTests {
    private let folder: WatchedFolder
    private let url: URL

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "pantry.sqlite"))
    }

    private func open(_ damage: SQLiteDatabase.Damage = .recover) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = damage
        return try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
    }

    @Test func `D9 an empty file is a new database`() async throws {
        try Data().write(to: url)
        let database = try await open()
        #expect(database.report.outcome == .healthy)
        #expect(database.report.migrated == ["food", "settings"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("damaged") })
    }

    @Test(arguments: [("xy", 1), ("Dear diary, today I had porridge.", 1), ("Not a database. ", 1_000)])
    func `D9 a text file is refused and kept, and set aside only if it is declared to be the database`(
        _ part: String,
        _ count: Int
    ) async throws {
        let text = String(repeating: part, count: count)
        try Data(text.utf8).write(to: url)
        await #expect { try await open() } throws: { ($0 as? SQLiteError)?.code == .notADatabase }
        #expect(try Data(contentsOf: url) == Data(text.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pantry.sqlite"])
        let database = try await open(.recoverAnyFile)
        guard case .quarantined(let quarantine) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(try String(contentsOf: quarantine, encoding: .utf8) == text)
        try await Pantry.fill(database, count: 1)
    }

    @Test func `D9 a picture is refused, and none of its bytes is changed`() async throws {
        // "The PNG signature", a header and noise.
        var bytes: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]
        var state: UInt64 = 7
        for _ in 0..<40_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            bytes.append(UInt8(truncatingIfNeeded: state >> 33))
        }
        try Data(bytes).write(to: url)
        await #expect { try await open() } throws: { ($0 as? SQLiteError)?.message.contains("was left unchanged") == true }
        #expect(Array(try Data(contentsOf: url)) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["pantry.sqlite"])
    }

    @Test func `D9 a file whose header is all zeros loses no row`() async throws {
        var bytes = try await Pantry.file()
        bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
        try Data(bytes).write(to: url)
        let database = try await open()
        #expect(database.report.unacknowledged.first?.rows["entries"] == 400)
    }

    @Test func `D9 a file without its first page is still recognized as a database`() async throws {
        var pages = PantryPages(bytes: try await Pantry.file())
        pages.zero(1)
        try Data(pages.bytes).write(to: url)
        let database = try await open()
        #expect(database.report.unacknowledged.count == 1)
        try await Pantry.fill(database, count: 1)
    }

    @Test func `D10 leftovers of a killed copy are removed at the next opening, and a running copy's file is kept`() async throws {
        let dead = folder.path(of: "copy.sqlite.\(UUID().uuidString)-999999999.backup")
        let living = folder.path(of: "copy.sqlite.\(UUID().uuidString)-\(getpid()).backup")
        for path in [dead, dead + "-journal", living] { try Data("x".utf8).write(to: URL(filePath: path)) }
        let database = try await open()
        #expect(!FileManager.default.fileExists(atPath: dead) && !FileManager.default.fileExists(atPath: dead + "-journal"))
        #expect(FileManager.default.fileExists(atPath: living))
        await database.close()
    }

    @Test func `a pipe is refused without waiting for a writer`() async throws {
        try #require(mkfifo(url.path, 0o600) == 0)
        let refuses = { (error: any Error) in
            let error = error as? SQLiteError
            return error?.code == .cannotOpen && error?.message.contains("is not a file, but a pipe") == true
        }
        await #expect { try await open() } throws: { refuses($0) }
        await #expect { try await SQLiteReader.open(url) } throws: { refuses($0) }
    }

    @Test func `a folder is refused and kept`() async throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        await #expect { try await open() } throws: { error in
            let error = error as? SQLiteError
            return error?.code == .cannotOpen && error?.message.contains("is a folder") == true
        }
        #expect(Disk.isFolder(url.path))
    }

    @Test func `the error for a missing folder has its path`() async throws {
        let lost = folder.path(of: "nowhere") + "/pantry.sqlite"
        await #expect { try await SQLiteDatabase.open(.file(URL(filePath: lost))) } throws: { error in
            let error = error as? SQLiteError
            return error?.code == .cannotOpen && error?.message.contains("nowhere") == true
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read and write everything"))
    func `the error for an unreadable file has its path, and the file is kept`() async throws {
        try Data("secret".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: url.path)
        await #expect { try await open() } throws: { error in
            let error = error as? SQLiteError
            return error?.code == .cannotOpen && error?.message.contains("pantry.sqlite") == true
        }
    }

    @Test func `D9 if no new file can be created, the database continues in memory with the rows that could be read`() async throws {
        var bytes = try await Pantry.file()
        bytes.replaceSubrange(0..<16, with: repeatElement(0, count: 16))
        try Data(bytes).write(to: url)
        // Folders at the paths of the draft: they block it as an unwritable folder would, even for the superuser.
        try FileManager.default.createDirectory(atPath: url.path + ".recovering", withIntermediateDirectories: false)
        let database = try await open()
        guard case .inMemory(let reason) = database.report.outcome else {
            Issue.record("\(database.report.outcome)")
            return
        }
        #expect(reason.contains("pantry.sqlite.recovering"))
        #expect(Array(try Data(contentsOf: url)) == bytes)
        // All at once, on a single connection.
        let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 { group.addTask { try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM entries") } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 400, count: 8))
        try await database.write { db in try db.execute("DELETE FROM entries WHERE id > 1") }
        await database.suspend()
        database.resume()
        #expect(try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM entries") } == 1)
        #expect(await database.repair(after: SQLiteError(.corrupt, "")) == false)
        await database.close()
        // The next time the file can be created.
        try FileManager.default.removeItem(atPath: url.path + ".recovering")
        let next = try await open()
        guard case .recovered(let recovery) = next.report.outcome else {
            Issue.record("\(next.report.outcome)")
            return
        }
        #expect(recovery.rows["entries"] == 400)
    }
}
