import Foundation
import TestSupport
import Testing

@testable import QueryKitSQLite

/// What a process knows about its log, compared with the log on the disk.
struct KnownLogTests {
    private let folder: TemporaryFolder
    private let known = KnownLog()
    /// The salts of the log that is known.
    private static let salts: UInt64 = 7 << 32 | 0x1234

    init() throws { folder = try TemporaryFolder() }

    /// Salts whose generation is this many restarts later.
    private static func salts(_ restarts: Int, from salts: UInt64 = salts) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: salts >> 32) &+ UInt32(truncatingIfNeeded: restarts)) << 32 | 0x9876
    }

    /// Notes commits of one frame each.
    private func commit(_ frames: ClosedRange<Int32>, _ salts: UInt64 = salts) {
        for frame in frames { known.noteCommit(frame, index(salts, frames: UInt32(frame))) }
    }

    /// A log on the disk with commits of one frame each, of which one may be damaged ("The WAL File Format").
    private func log(_ salts: UInt64, _ count: UInt32, damaged: UInt32? = nil) throws -> LogContents {
        var bytes = Data()
        var checksum: (UInt32, UInt32) = (0, 0)
        func append(_ number: UInt32) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
        func add(_ range: Range<Int>) {
            let words = stride(from: range.lowerBound, to: range.upperBound, by: 4).map { start in
                bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            for index in stride(from: 0, to: words.count, by: 2) {
                checksum.0 &+= words[index] &+ checksum.1
                checksum.1 &+= words[index + 1] &+ checksum.0
            }
        }
        func appendChecksum() {
            append(checksum.0)
            append(checksum.1)
        }
        let both = [UInt32(truncatingIfNeeded: salts >> 32), UInt32(truncatingIfNeeded: salts)]
        for number in [0x377f_0683, 3_007_000, 512, 0] + both { append(number) }
        add(0..<24)
        appendChecksum()
        for frame in 0..<count {
            let start = bytes.count
            for number in [1, 1] + both { append(number) }
            let page = Data(repeating: UInt8(frame), count: 512)
            add(start..<start + 8)
            bytes += page
            add(start + 16..<bytes.count)
            bytes.removeLast(page.count)
            appendChecksum()
            bytes += page
            if frame == damaged { bytes[bytes.count - 1] ^= 1 }
        }
        try bytes.write(to: folder.file("log"))
        return try LogContents(path: folder.path("log"))
    }

    /// The header of the index of a log.
    private func index(_ salts: UInt64, frames: UInt32, written: UInt32 = 0) -> LogIndex {
        var words = [UInt32](repeating: 0, count: 34)
        (words[4], words[24]) = (frames, written)
        (words[8], words[9]) = (UInt32(truncatingIfNeeded: salts >> 32).bigEndian, UInt32(truncatingIfNeeded: salts).bigEndian)
        return words.withUnsafeMutableBytes { LogIndex(UnsafeRawPointer($0.baseAddress.unsafelyUnwrapped)) }
    }

    private static func lost(_ count: Int) -> String {
        let commits = ["commits", "the latest commit of this process"]
        let subject = commits.indices.contains(count) ? commits[count] : "the latest \(count) commits of this process"
        return "path-wal was removed, cut short or overwritten while the database was in use: \(subject) can't be read."
    }

    @Test func `D12 the log that is known has lost the commits beyond its end, and may be longer`() throws {
        commit(1...5)
        for (count, loss) in [(3, Self.lost(2)), (4, Self.lost(1)), (5, nil), (6, nil)] as [(UInt32, String?)] {
            #expect(try known.state.loss(in: log(Self.salts, count), at: "path") == loss)
        }
        // Behind the known frames, a killed process has left a commit.
        #expect(try known.state.loss(in: log(Self.salts, 8, damaged: 5), at: "path") == nil)
        #expect(try known.state.loss(in: log(Self.salts, 8, damaged: 2), at: "path") == Self.lost(3))
    }

    @Test func `D12 a log that is unknown is judged by its checksums`() throws {
        #expect(known.state.isWritten)
        #expect(try known.state.loss(in: log(Self.salts, 8), at: "path") == nil)
        #expect(
            try known.state.loss(in: log(Self.salts, 8, damaged: 5), at: "path")
                == "path-wal is damaged: the last 3 of its 8 commits can't be read."
        )
    }

    @Test(arguments: [1, 2, 1_000]) func `D12 a log that was restarted contains all commits in the file`(_ restarts: Int) throws {
        commit(1...3)
        #expect(!known.state.isWritten)
        #expect(try known.state.loss(in: log(Self.salts(restarts), 1), at: "path") == nil)
        // The salt wraps around.
        known.clear()
        let last: UInt64 = 0xffff_ffff << 32
        commit(1...3, last)
        #expect(try known.state.loss(in: log(Self.salts(restarts, from: last), 1), at: "path") == nil)
        commit(1...2, Self.salts(restarts, from: last))
        #expect(try known.state.loss(in: log(Self.salts(restarts, from: last), 2), at: "path") == nil)
    }

    @Test(arguments: [1, 2, 1_000])
    func `D12 an older log in the place of the known one has lost all commits since then`(_ restarts: Int) throws {
        commit(1...3)
        #expect(try known.state.loss(in: log(Self.salts(-restarts), 9), at: "path") == Self.lost(3))
        known.noteCheckpoint()
        #expect(known.state.isWritten)
        #expect(try known.state.loss(in: log(Self.salts(-restarts), 9), at: "path") == Self.lost(0))
        // The next commit is written into the older log.
        commit(10...10, Self.salts(-restarts))
        known.noteCheckpoint()
        #expect(!known.state.isWritten)
        #expect(try known.state.loss(in: log(Self.salts(-restarts), 10), at: "path") == Self.lost(3))
    }

    @Test(arguments: [0x8765_4321, 1_008, UInt64(UInt32(bitPattern: -994))])
    func `D12 a log with random salts has lost nothing if the known one is in the file`(_ salt: UInt64) throws {
        let random = salt << 32
        commit(1...3)
        #expect(try known.state.loss(in: log(random, 1), at: "path") == Self.lost(3))
        known.noteCheckpoint()
        #expect(try known.state.loss(in: log(random, 1), at: "path") == nil)
        commit(1...2, random)
        #expect(try known.state.loss(in: log(random, 2), at: "path") == nil)
        #expect(try known.state.loss(in: log(random, 1), at: "path") == Self.lost(1))
    }

    @Test func `D12 commits at positions that were used before have replaced others`() throws {
        commit(1...5)
        known.noteCheckpoint()
        commit(3...4)
        #expect(try known.state.loss(in: log(Self.salts, 4), at: "path") == Self.lost(3))
        // Of the known log, only two commits are in the file.
        #expect(try known.state.loss(in: log(0x8765_4321 << 32, 1), at: "path") == Self.lost(5))
    }

    @Test func `D12 commits of other processes count as frames that the log must have`() throws {
        commit(1...3)
        #expect(try known.note(index(Self.salts, frames: 5)).loss(in: log(Self.salts, 4), at: "path") == Self.lost(0))
        #expect(known.note(index(Self.salts, frames: 5, written: 5)).isWritten)
        // The index of an older log is ignored; one of a log that was restarted, or has random salts, replaces what is known.
        #expect(known.note(index(Self.salts(-1), frames: 9)).isWritten)
        for salts in [Self.salts(1), 0x8765_4321 << 32] {
            let state = known.note(index(salts, frames: 2))
            #expect(try !state.isWritten && state.loss(in: log(salts, 2), at: "path") == nil)
            #expect(try state.loss(in: log(salts, 1), at: "path") == Self.lost(0))
        }
    }

    @Test func `D12 a log that another process restarts right after a commit has lost nothing`() throws {
        commit(1...500)
        // When the commit is noted, another process has written it back and committed three frames into the restarted log.
        let restarted = Self.salts(1)
        known.noteCommit(501, index(restarted, frames: 3))
        #expect(try known.note(index(restarted, frames: 3)).loss(in: log(restarted, 3), at: "path") == nil)
        commit(4...5, restarted)
        #expect(try known.state.loss(in: log(restarted, 5), at: "path") == nil)
        #expect(try known.state.loss(in: log(restarted, 4), at: "path") == Self.lost(1))
        // An index that was made from a shorter log is not that of a restarted one.
        known.noteCommit(9, index(restarted, frames: 5))
        #expect(try known.state.loss(in: log(restarted, 5), at: "path") == Self.lost(1))
    }

    @Test func `D12 after a recovery nothing is known, and connections may open again`() {
        commit(1...3)
        known.damage = SQLiteError(.corrupt, "Damaged.")
        known.clear()
        #expect(known.damage == nil && known.state.isWritten)
    }
}
