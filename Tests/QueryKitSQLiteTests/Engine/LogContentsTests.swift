import Foundation
import QueryKit
import TestSupport
import Testing

@testable import QueryKitSQLite

/// What the checksums of a write-ahead log prove.
struct LogContentsTests {
    private let folder: TemporaryFolder
    private let log: [UInt8]

    private static let frameSize = 24 + 4_096
    private static func start(ofFrame index: Int) -> Int { 32 + index * frameSize }

    /// A log with one frame for the table and one for each of ten rows.
    init() throws {
        folder = try TemporaryFolder()
        let connection = try Connection(path: folder.path(), settings: ConnectionSettings(mode: .readWrite))
        try connection.run("CREATE TABLE t (a)")
        for number in 1...10 as ClosedRange<Int64> { try connection.run("INSERT INTO t VALUES (?)", [.integer(number)]) }
        log = Array(try Data(contentsOf: folder.file("test.sqlite-wal")))
        withExtendedLifetime(connection) {}
    }

    private func contents(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> LogContents {
        var bytes = log
        change(&bytes)
        try Data(bytes).write(to: folder.file("changed"))
        return try LogContents(path: folder.path("changed"))
    }

    @Test func `D12 a sound log contains all commits`() throws {
        let found = try contents()
        #expect(found.commits == 11 && found.lostCommits == 0)
        #expect(Self.start(ofFrame: found.frames) == log.count)
    }

    @Test func `D12 a bit changed anywhere but in the last frame proves the commits from there on to be lost`() throws {
        let headers = (0..<10).flatMap { frame in (0..<24 * 8).map { Self.start(ofFrame: frame) * 8 + $0 } }
        for bit in headers + Array(stride(from: 0, to: (log.count - Self.frameSize) * 8, by: 1_009)) {
            let found = try contents { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let frame = (bit / 8 - 32) / Self.frameSize
            // A changed size of the database may change whether the frame looks like a commit.
            let isHidden = bit / 8 >= 32 && (4..<8).contains((bit / 8 - 32) % Self.frameSize)
            #expect(found.frames <= frame && found.frames >= frame - 1, "bit \(bit)")
            let all = found.commits + found.lostCommits
            #expect(found.lostCommits > 0 && (all == 11 || isHidden && (10...12).contains(all)), "bit \(bit) of frame \(frame)")
        }
    }

    @Test func `D12 each bit of the header is needed, and its damage proves all commits to be lost`() throws {
        for bit in 0..<(32 * 8) {
            let found = try contents { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            #expect(found.salts == nil && found.commits == 0)
            // The first frame continues the stored checksum of the header. If that is changed, the second frame is the first valid one.
            #expect(found.lostCommits == 11, "bit \(bit)")
        }
    }

    @Test func `D12 a log that is cut short, is empty, or ends in another generation proves nothing`() throws {
        for size in stride(from: 0, to: log.count, by: 1_777) {
            #expect(try contents { $0.removeLast($0.count - size) }.lostCommits == 0)
        }
        let found = try contents { bytes in
            // As in a log that has restarted and is shorter than before.
            for frame in 5..<((bytes.count - 32) / Self.frameSize) { bytes[Self.start(ofFrame: frame) + 11] ^= 1 }
        }
        #expect(found.frames == 5 && found.lostCommits == 0)
        #expect(try LogContents(path: folder.path("absent")).commits == 0)
    }

    @Test func `D12 a log that can't be opened or read has unknown contents`() throws {
        // A folder can be opened but not read, and a file is no folder.
        for name in ["log", "test.sqlite/log"] {
            try? FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
            let error = #expect(throws: SQLiteError.self) { try LogContents(path: folder.path(name)) }
            #expect(error?.code == .inputOutput && error?.message.hasPrefix("\(folder.path(name)) can't be ") == true)
        }
    }

    @Test func `D12 a log that couldn't be opened is opened when its contents are needed`() throws {
        let (parent, file) = (folder.file("parent"), LogFile())
        try Data().write(to: parent)
        file.follow(parent.appending(path: "test.sqlite").path(percentEncoded: false))
        #expect(throws: SQLiteError.self) { try file.contents() }
        try FileManager.default.removeItem(at: parent)
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
        #expect(try file.contents().commits == 0)
        try Data(log).write(to: parent.appending(path: "test.sqlite-wal"))
        #expect(try file.contents().commits == 11)
        #expect(file.inode == file.fileNumber())
    }

    @Test func `D12 what a rolled-back transaction leaves in the log is not damage`() throws {
        var settings = ConnectionSettings(mode: .readWrite)
        settings.cacheKibibytes = 64
        let connection = try Connection(path: folder.path("rolled.sqlite"), settings: settings)
        try connection.run("CREATE TABLE t (a)")
        // The long form rolls an import of 20 MB back.
        let rows = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] == nil ? 200 : 7_000
        for step in 1...4 {
            try connection.run("BEGIN IMMEDIATE")
            for _ in 0..<rows { try connection.run("INSERT INTO t VALUES (randomblob(3000))") }
            connection.rollBack()
            try connection.run("INSERT INTO t VALUES (?)", [.integer(Int64(step))])
            let found = try LogContents(path: folder.path("rolled.sqlite-wal"))
            #expect(found.commits == 1 + step && found.lostCommits == 0)
            #expect(Self.start(ofFrame: found.frames) < Int(Disk.size(folder.path("rolled.sqlite-wal")) ?? 0))
        }
    }
}
