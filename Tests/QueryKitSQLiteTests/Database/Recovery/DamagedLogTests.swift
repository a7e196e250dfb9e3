import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// A write-ahead log that has lost commits, because it was damaged or because its end was removed.
struct DamagedLogTests {
    private let folder: WatchedFolder
    private let url: URL
    private let migrations: SQLiteMigrations = [SQLiteMigration("rows", "CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)")]

    init() throws {
        folder = try WatchedFolder()
        url = URL(filePath: folder.path(of: "test.sqlite"))
    }

    private static let frameSize = 24 + 4_096

    private func open(_ change: (inout SQLiteDatabase.Configuration) -> Void = { _ in }) async throws -> SQLiteDatabase {
        var configuration = SQLiteDatabase.Configuration()
        configuration.busyTimeout = .seconds(1)
        change(&configuration)
        return try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
    }

    private func write(_ count: Int, to database: SQLiteDatabase) async throws {
        for number in 1...count { try await database.execute("INSERT INTO rows (text) VALUES (\("row \(number)"))") }
    }

    private func count(_ database: SQLiteDatabase) async throws -> Int? { try await database.count("SELECT count(*) FROM rows") }

    private var log: URL { URL(filePath: url.path + "-wal") }

    /// The files as a killed process leaves them, with a log of this many rows, each a commit.
    private func leaveLog(rows: Int, _ change: (inout Data) -> Void) async throws -> Data {
        var bytes = Data()
        let database = try await open()
        try await write(rows, to: database)
        let file = try Data(contentsOf: url)
        bytes = try Data(contentsOf: log)
        await database.close()
        try file.write(to: url)
        change(&bytes)
        try bytes.write(to: log)
        return bytes
    }

    private static func flip(_ bytes: inout Data, inFrame frame: Int) { bytes[32 + frame * frameSize + 2_000] ^= 4 }

    private func setAside(_ database: SQLiteDatabase) throws -> Data {
        let recovery = try #require(database.report.unacknowledged.last)
        return try Data(contentsOf: URL(filePath: try #require(recovery.quarantine).path + "-wal"))
    }

    @Test(arguments: [SQLiteDatabase.Check.schema, .full])
    func `D12 a changed bit in the log is reported when the database is opened, and the log is kept`(_ check: SQLiteDatabase.Check)
        async throws
    {
        let bytes = try await leaveLog(rows: 200) { bytes in Self.flip(&bytes, inFrame: bytes.count / Self.frameSize / 20) }
        let database = try await open { $0.check = check }
        let kept = try #require(try await count(database))
        guard case .recovered(let recovery) = database.report.outcome else {
            Issue.record("\(database.report.outcome), with \(kept) rows")
            return
        }
        #expect(kept < 200)
        let words = recovery.cause.split(separator: " ")
        #expect(recovery.cause.hasPrefix("\(url.path)-wal is damaged: the last \(200 - kept) of its "), "\(words), \(kept)")
        #expect(recovery.incomplete == ["rows"] && recovery.rows == ["rows": kept])
        #expect(try setAside(database) == bytes)
        await database.close()
        let next = try await open()
        #expect(next.report.outcome == .healthy && next.report.unacknowledged == [recovery])
        #expect(try await count(next) == kept)
        await next.close()
    }

    @Test func `D12 each commit that a changed bit in a random frame takes away is reported`() async throws {
        let bytes = try await leaveLog(rows: 40) { _ in }
        let file = try Data(contentsOf: url)
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<(ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 10 : 1_000) {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) { try Disk.remove(folder.path(of: name)) }
            // Damage in the last frame looks like a commit that a killed process didn't finish.
            let offset = Int.random(in: 0..<(bytes.count - Self.frameSize), using: &dice)
            var changed = bytes
            changed[offset] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            try file.write(to: url)
            try changed.write(to: log)
            let database = try await open()
            let kept = database.report.unacknowledged.last?.rows["rows"] ?? 0
            let lost = lostCommits(database.report.unacknowledged.last?.cause)
            // A commit whose size of the database has become 0 looks like a frame within a transaction.
            let isHidden = offset >= 32 && (4..<8).contains((offset - 32) % Self.frameSize)
            #expect(lost ?? 0 >= 40 - kept - (isHidden ? 1 : 0), "offset \(offset): \(kept) rows, \(database.report)")
            #expect(try setAside(database) == changed)
            await database.close()
        }
    }

    @Test func `D12 a database with a damaged log is refused unchanged if damage must not be repaired`() async throws {
        let bytes = try await leaveLog(rows: 30) { bytes in Self.flip(&bytes, inFrame: 10) }
        let file = try Data(contentsOf: url)
        let error = await #expect(throws: SQLiteError.self) { try await open { $0.damage = .fail } }
        #expect(error?.code == .corrupt)
        #expect(error?.message.hasPrefix("\(url.path)-wal is damaged: the last ") == true)
        #expect(try Data(contentsOf: log) == bytes && Data(contentsOf: url) == file)
    }

    @Test func `D12 a damaged file is refused with its log unchanged if damage must not be repaired`() async throws {
        let bytes = try await leaveLog(rows: 30) { _ in }
        let file = try Data(contentsOf: url)
        await #expect(throws: SQLiteError.self) {
            var configuration = SQLiteDatabase.Configuration()
            configuration.damage = .fail
            let failing: SQLiteMigrations = [SQLiteMigration("bad", revision: 1) { _ in throw SQLiteError(.corrupt, "Damaged.") }]
            _ = try await SQLiteDatabase.open(
                .file(url),
                migrations: SQLiteMigrations(migrations.steps + failing.steps),
                configuration: configuration
            )
        }
        #expect(try Data(contentsOf: url) == file)
        #expect(try Data(contentsOf: log).starts(with: bytes))
    }

    /// Lets each descriptor with which this library reads the log lead to another file.
    private func redirectLog(to file: FileHandle, _ descriptors: [Int32]) {
        for descriptor in descriptors { dup2(file.fileDescriptor, descriptor) }
    }

    /// The descriptors with which this library reads the log. SQLite opens it for writing, too.
    private func logDescriptors() -> [Int32] {
        (0..<1_024).filter { descriptor in
            var entry = stat()
            return fstat(descriptor, &entry) == 0 && UInt64(entry.st_ino) == Disk.inode(log.path)
                && fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY
        }
    }

    @Test func `D12 a log that can't be read now is not damage, and no commit is lost`() async throws {
        let database = try await open()
        try await write(5, to: database)
        let descriptors = logDescriptors()
        try #require(!descriptors.isEmpty)
        redirectLog(to: try #require(FileHandle(forWritingAtPath: "/dev/null")), descriptors)
        let error = await #expect(throws: SQLiteError.self) { try await database.checkpoint() }
        #expect(error?.code == .inputOutput)
        #expect(try await count(database) == 5)
        try await write(1, to: database)
        await database.suspend()
        database.resume()
        #expect(try await count(database) == 6)
        try await database.checkpoint()
        #expect(database.report.outcome == .healthy && database.report.unacknowledged == [])
        await database.close()
        #expect(Disk.filesSetAside(url.path) == [])
    }

    @Test func `D12 a log with a damaged header is reported, although SQLite ignores it as a whole`() async throws {
        let bytes = try await leaveLog(rows: 30) { $0[17] ^= 1 }
        let database = try await open()
        #expect(try setAside(database) == bytes)
        #expect(database.report.unacknowledged.last?.incomplete == ["rows"])
        await database.close()
    }

    @Test func `D12 a log that another process uses is not taken for damaged while a commit of it is in progress`() async throws {
        let other = try await open()
        try await write(5, to: other)
        let gate = BlockingGate()
        let writing = Task {
            try await other.write { db in
                _ = try db.execute("INSERT INTO rows (text) VALUES ('late')")
                gate.pass()
            }
        }
        await gate.arrival()
        let database = try await open()
        #expect(database.report.outcome == .healthy)
        gate.open()
        _ = try await writing.value
        #expect(try await count(database) == 6)
        await database.close()
        await other.close()
    }

    // MARK: The log of an open database

    /// The log is cut short, emptied, or overwritten in its middle.
    private static let harms: [@Sendable (URL) throws -> Void] = [
        { log in try cut(log) { $0 / 2 } },
        { log in try cut(log) { _ in 0 } },
        { log in
            let handle = try FileHandle(forUpdating: log)
            try handle.seek(toOffset: UInt64(32 + 20 * frameSize))
            try handle.write(contentsOf: Data(repeating: 0x5a, count: 10 * frameSize))
            try handle.close()
        },
    ]

    private static func cut(_ log: URL, _ size: (UInt64) -> UInt64) throws {
        let handle = try FileHandle(forUpdating: log)
        try handle.truncate(atOffset: size(try handle.seekToEnd()))
        try handle.close()
    }

    /// The number of commits that a cause names as lost.
    private func lostCommits(_ cause: String?) -> Int? {
        cause?.firstMatch(of: #/the (?:latest|last) (\d+) /#).flatMap { Int($0.output.1) }
    }

    @Test(arguments: harms.indices, [false, true])
    func `D12 a recovery reports the commits that the log of an open database has lost`(_ harm: Int, _ writes: Bool) async throws {
        let database = try await open()
        try await write(96, to: database)
        try Self.harms[harm](log)
        if writes { _ = try? await write(3, to: database) }
        _ = try? await database.count("SELECT count(*) FROM rows NOT INDEXED WHERE text > ''")
        _ = await database.repair(after: SQLiteError(.corrupt, "database disk image is malformed"))
        let kept = try #require(try await count(database))
        #expect(kept < 96)
        let recovery = try #require(database.report.unacknowledged.last)
        #expect(recovery.incomplete == ["rows"])
        let acknowledged = writes ? 99 : 96
        #expect(lostCommits(recovery.cause) ?? 0 >= 96 - kept, "\(recovery.cause), \(kept) of \(acknowledged)")
        await database.close()
    }

    @Test(arguments: harms.indices)
    func `D12 a database that is closed with a log that has lost commits keeps that log and reports it`(_ harm: Int) async throws {
        let database = try await open()
        try await write(96, to: database)
        try Self.harms[harm](log)
        let bytes = try Data(contentsOf: log)
        await database.close()
        let next = try await open()
        let kept = try #require(try await count(next))
        let recovery = try #require(next.report.unacknowledged.last)
        #expect(kept < 96 && recovery.incomplete == ["rows"])
        #expect(lostCommits(recovery.cause) ?? 0 >= 96 - kept, "\(recovery.cause), \(kept)")
        if !bytes.isEmpty { #expect(try setAside(next) == bytes) }
        await next.close()
    }

    @Test(arguments: harms.indices)
    func `D12 a database that is suspended with a log that has lost commits reports it when it is used again`(_ harm: Int) async throws {
        let database = try await open()
        try await write(96, to: database)
        try Self.harms[harm](log)
        await database.suspend()
        database.resume()
        let kept = try #require(try await count(database))
        let recovery = try #require(database.report.unacknowledged.last)
        #expect(lostCommits(recovery.cause) ?? 0 >= 96 - kept, "\(recovery.cause), \(kept)")
        await database.close()
    }

    @Test(arguments: harms.indices, [false, true])
    func `D12 a log that has lost commits is kept instead of written back while the database is in use`(_ harm: Int, _ isCalled: Bool)
        async throws
    {
        let database = try await open()
        try await write(96, to: database)
        let file = try Data(contentsOf: url)
        try Self.harms[harm](log)
        let bytes = try Data(contentsOf: log)
        if isCalled {
            try await database.checkpoint()
        } else {
            // As when the log has grown.
            try? await database.core.lanes.perform(.write) { connection, _ in try connection.checkpointInUse(nil) }
        }
        try await write(1, to: database)
        let kept = try #require(try await count(database)) - 1
        let recovery = try #require(database.report.unacknowledged.last)
        #expect(kept < 96 && lostCommits(recovery.cause) ?? 0 >= 96 - kept, "\(recovery.cause), \(kept)")
        #expect(try Data(contentsOf: try #require(recovery.quarantine)) == file)
        if !bytes.isEmpty { #expect(try setAside(database) == bytes) }
        await database.close()
    }

    @Test func `D12 a recovery from other damage reports no lost commits if the log is complete`() async throws {
        let database = try await open()
        try await write(20, to: database)
        try await database.checkpoint()
        try await write(20, to: database)
        #expect(try await database.core.recover(from: SQLiteError(.corrupt, "Damaged."), in: Disk.inode(url.path)))
        let recovery = try #require(database.report.unacknowledged.last)
        #expect(recovery.cause == "Damaged." && recovery.incomplete.isEmpty)
        #expect(try await count(database) == 40)
        await database.close()
    }
}
