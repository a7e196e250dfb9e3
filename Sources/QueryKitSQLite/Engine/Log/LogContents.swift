import CSQLite
import QueryKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The commits in a write-ahead log, according to its checksums ("The WAL File Format").
///
/// SQLite applies a log up to the last commit before the first frame with a wrong checksum, and ignores the rest. The rest is usually what
/// rolled-back transactions have left. But if it contains a commit of the current generation whose checksum continues the stored checksum
/// of the frame before it, the log is damaged.
struct LogContents {
    /// The salts in the header, which each restart of the log changes; `nil` without a valid header: then SQLite ignores the whole log.
    private(set) var salts: UInt64?
    /// The number of frames up to the last commit that SQLite applies.
    private(set) var frames = 0
    /// The number of commits that SQLite applies.
    private(set) var commits = 0
    /// The number of commits that SQLite ignores because of damage.
    private(set) var lostCommits = 0

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// An open log.
    private typealias File = (descriptor: Int32, path: String)

    /// The contents of a log that doesn't exist.
    init() {}

    /// Reads the log once from its beginning to its end, frame by frame. SQLite has no locks on the log, so it may be opened here.
    ///
    /// - Throws: An error if the log can't be read now. Then nothing is known about its commits.
    init(path: String) throws(SQLiteError) {
        self.init()
        guard let descriptor = try Self.openFile(path) else { return }
        defer { close(descriptor) }
        self = try Self(descriptor, path)
    }

    init(_ descriptor: Int32, _ path: String) throws(SQLiteError) {
        let file = (descriptor, path)
        var header = [UInt8](repeating: 0, count: Self.headerSize)
        guard try Self.read(file, &header, 0..<header.count, at: 0) else { return }
        let stored = header.checksum(at: 24)
        var layout = Layout(pageSize: Int(header.number(at: 8)), isBigEndian: header[3] & 1 == 1)
        if header.number(at: 0) & ~1 == 0x377f_0682, Layout.pageSizes.contains(layout.pageSize),
            layout.checksum(header[..<24], after: .init()) == stored
        {
            salts = header.salts(at: 16)
            try scan(file, layout, isApplied: true, after: stored)
            return
        }
        // Any field of the header may be the damaged one, so the frames must show how they are stored.
        for pageSize in Layout.pageSizes {
            for isBigEndian in [false, true] where lostCommits == 0 {
                layout = Layout(pageSize: pageSize, isBigEndian: isBigEndian)
                try scan(file, layout, isApplied: false, after: stored)
            }
        }
    }

    /// - Parameters:
    ///   - isApplied: Whether SQLite applies the first frame, if that is valid.
    ///   - checksum: The stored checksum in front of the first frame.
    private mutating func scan(
        _ file: File,
        _ layout: Layout,
        isApplied: Bool,
        after checksum: Checksum
    ) throws(SQLiteError) {
        let size = Self.frameHeaderSize + layout.pageSize
        var frame = [UInt8](repeating: 0, count: size)
        var (salts, isApplied, previous) = (salts, isApplied, checksum)
        var (index, ignored) = (0, 0)
        while true {
            let start = Int64(Self.headerSize + index * size)
            // Behind damage only commits matter, so the pages of other frames are not read.
            guard try Self.read(file, &frame, 0..<(isApplied ? size : Self.frameHeaderSize), at: start) else { return }
            index += 1
            // The first frame belongs to the current generation: a restart begins with it.
            if salts == nil { salts = frame.salts(at: 8) }
            let stored = frame.checksum(at: 16)
            let isCurrent = frame.salts(at: 8) == salts
            // In front of a commit of the current generation, all frames belong to it, also one whose salts are damaged.
            let isCommit = frame.number(at: 4) != 0
            if !isApplied, isCurrent, isCommit {
                guard try Self.read(file, &frame, Self.frameHeaderSize..<size, at: start) else { return }
            }
            let isValid =
                isCurrent && (isApplied || isCommit) && frame.number(at: 0) != 0
                && layout.checksum(frame[Self.frameHeaderSize...], after: layout.checksum(frame[..<8], after: previous)) == stored
            isApplied = isApplied && isValid
            previous = stored
            guard isCommit else { continue }
            if isApplied {
                (frames, commits) = (index, commits + 1)
            } else {
                ignored += 1
                if isValid { lostCommits = ignored }
            }
        }
    }

    /// Returns false at the end of the log.
    private static func read(_ file: File, _ bytes: inout [UInt8], _ range: Range<Int>, at start: Int64) throws(SQLiteError) -> Bool {
        let count = bytes[range].withUnsafeMutableBytes { part in
            pread(file.descriptor, part.baseAddress, part.count, off_t(start) + off_t(range.lowerBound))
        }
        guard count >= 0 else { throw Disk.failure("be read", file.path) }
        return count == range.count
    }

    /// Opens a log; returns `nil` if there is none.
    static func openFile(_ path: String) throws(SQLiteError) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw Disk.failure("be opened", path) }
        return nil
    }

    fileprivate struct Checksum: Equatable {
        var words: (UInt32, UInt32) = (0, 0)

        static func == (first: Checksum, second: Checksum) -> Bool { first.words == second.words }
    }

    /// How the frames are stored.
    private struct Layout {
        static let pageSizes = (9...16).map { 1 << $0 }

        let pageSize: Int
        /// Whether checksums read the bytes as big-endian numbers.
        let isBigEndian: Bool

        func checksum(_ bytes: ArraySlice<UInt8>, after checksum: Checksum) -> Checksum {
            var words = [checksum.words.0, checksum.words.1]
            bytes.withUnsafeBufferPointer { part in
                querykit_log_checksum(part.baseAddress, Int32(part.count), isBigEndian ? 1 : 0, &words)
            }
            return Checksum(words: (words[0], words[1]))
        }
    }
}

extension [UInt8] {
    fileprivate func number(at offset: Int) -> UInt32 { self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    fileprivate func salts(at offset: Int) -> UInt64 { UInt64(number(at: offset)) << 32 | UInt64(number(at: offset + 4)) }

    fileprivate func checksum(at offset: Int) -> LogContents.Checksum { .init(words: (number(at: offset), number(at: offset + 4))) }
}
