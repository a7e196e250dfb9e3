import QueryKit

/// What a process knows about the log that it writes to. It outlives the connection, so that a recovery can determine which commits are
/// missing in the log on the disk.
final class KnownLog: Sendable {
    struct State {
        /// The salts of the log; `nil` before the first commit.
        fileprivate var salts: UInt64?
        /// The number of frames that the log must have.
        fileprivate var frames = 0
        /// The number of these frames that are in the file, too.
        fileprivate var written = 0
        /// The number of frames after each commit of this process.
        fileprivate var commits: [Int32] = []
        /// The number of commits of this process in logs that an older log has replaced.
        fileprivate var lost = 0
    }

    private let content = Lock((state: State(), damage: SQLiteError?.none, aside: String?.none))

    var state: State { content.withLock { $0.state } }

    /// The error of the log that a closed connection has left behind. Until the recovery, no connection may be opened.
    var damage: SQLiteError? {
        get { content.withLock { $0.damage } }
        set { content.withLock { $0.damage = newValue } }
    }

    /// The name under which this process has left the log of a file that was moved.
    var aside: String? {
        get { content.withLock { $0.aside } }
        set { content.withLock { $0.aside = newValue } }
    }

    /// Call after a commit of this process, with the index as it is now.
    func noteCommit(_ pages: Int32, _ index: LogIndex) { content.withLock { $0.state.noteCommit(pages, index) } }

    /// Returns what is known now, including the commits of other processes.
    func note(_ index: LogIndex) -> State {
        content.withLock { content in
            content.state.note(index)
            return content.state
        }
    }

    /// Call when the whole log was written back.
    func noteCheckpoint() { content.withLock { $0.state.written = $0.state.frames } }

    /// Call when all commits are in the file, or when there is another file.
    func clear() { content.withLock { $0 = (State(), nil, nil) } }
}

extension KnownLog.State {
    /// Whether all commits are in the file.
    var isWritten: Bool { written >= frames && lost == 0 }

    fileprivate mutating func noteCommit(_ pages: Int32, _ index: LogIndex) {
        let salts = index.salts
        // The commit has released its lock. Another process may have written everything back since, and have restarted the log.
        if salts != self.salts, index.frames < Int(pages) { return }
        if let known = self.salts, known != salts {
            let lost = Self.isOlder(salts, than: known) ? self.lost + commits.count : self.lost
            self = Self()
            self.lost = lost
        } else if pages <= frames {
            // The log only grows until it is restarted, so an older state of the same log is in its place.
            let kept = commits.prefix { $0 < pages }
            lost += commits.count - kept.count
            commits = Array(kept)
            written = min(written, kept.last.map(Int.init) ?? 0)
        }
        self.salts = salts
        frames = Int(pages)
        commits.append(pages)
    }

    fileprivate mutating func note(_ index: LogIndex) {
        if salts != index.salts {
            // An older index is not the index of the log that is known.
            if let salts, Self.isOlder(index.salts, than: salts) { return }
            let lost = lost
            self = Self()
            self.lost = lost
            salts = index.salts
        }
        frames = max(frames, index.frames)
        written = max(written, index.written)
    }

    /// Returns a sentence about the commits that can't be read from the log on the disk; `nil` if there are none.
    func loss(in log: LogContents, at path: String) -> String? {
        let isKnown = salts != nil && frames > 0
        let isSame = isKnown && log.salts == salts
        let isMissing =
            if let salts, isKnown, let found = log.salts {
                if found == salts {
                    log.frames < frames
                } else {
                    Self.isOlder(found, than: salts) || !Self.isOlder(salts, than: found) && written < frames
                }
            } else {
                written < frames
            }
        guard isMissing || lost > 0 else {
            // Behind the frames of a log in use there may be a commit that a killed process didn't finish.
            guard log.lostCommits > 0, !isSame else { return nil }
            let all = log.commits + log.lostCommits
            return "\(path)-wal is damaged: the last \(log.lostCommits) of its \(all) commits can't be read."
        }
        let kept = isSame ? log.frames : written
        let count = lost + (isMissing ? commits.count { $0 > kept } : 0)
        let subject =
            switch count {
            case 0: "commits"
            case 1: "the latest commit of this process"
            default: "the latest \(count) commits of this process"
            }
        return "\(path)-wal was removed, cut short or overwritten while the database was in use: \(subject) can't be read."
    }

    /// Whether the log that a database has now contains all commits that aren't in the file.
    func isContained(in path: String) -> Bool {
        guard let log = try? LogContents(path: path + "-wal"), log.salts == salts else { return false }
        return loss(in: log, at: path) == nil
    }

    /// Whether a log is an earlier generation of another one. Logs are restarted only when all of their commits are in the file, and each
    /// restart adds one to the first salt. But a connection that has seen no checkpoint chooses new salts at random, so of two logs none
    /// may be older.
    private static func isOlder(_ salts: UInt64, than other: UInt64) -> Bool {
        let count = UInt32(truncatingIfNeeded: other >> 32) &- UInt32(truncatingIfNeeded: salts >> 32)
        return (1...1_000).contains(count)
    }
}

/// The header of the index that all connections to a log share ("The WAL-Index Header").
struct LogIndex {
    let salts: UInt64
    /// The number of frames up to the latest commit.
    let frames: Int
    /// The number of these frames that are in the file, too.
    let written: Int
    /// Whether there were commits since the index was made from the log.
    let hasCommits: Bool

    init(_ start: UnsafeRawPointer) {
        func number(_ offset: Int) -> UInt32 { start.load(fromByteOffset: offset, as: UInt32.self) }
        // Stored as in the log, and read in one step; everything else is in the order of the processor.
        salts = UInt64(bigEndian: start.load(fromByteOffset: 32, as: UInt64.self))
        frames = Int(number(16))
        written = Int(number(96))
        hasCommits = number(8) != 0
    }
}
