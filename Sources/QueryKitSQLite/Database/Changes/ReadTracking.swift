import QueryKit

/// Receives what a transaction reads. The database calls it without knowing how the information is used.
protocol ReadObserver: AnyObject, Sendable {
    /// Called before rows of these regions are read, on the thread of a connection.
    func note(_ list: RegionList)

    /// Reports regions and commits in one call, after the first row was read. Called for a read on its caller's thread.
    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate)

    /// Called when the snapshot has been taken. It includes all commits up to the first number, and none after the last; see
    /// ``CommitGate``.
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate)

    /// Called after the read with regions that changed between the beginning of the read and their note, so that no notification reached
    /// this read.
    func outdate(_ regions: [SQLiteRegion])

    /// The object that is notified of the current task's commits; `nil` if there is none.
    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)?

    /// Whether the current task may share a snapshot with other runs.
    var mayShare: Bool { get }

    /// The snapshot of a source that the current task shares with other runs; `nil` if it reads without a shared snapshot.
    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot?

    /// Called when the current task can no longer read the shared snapshot.
    func readAlone()

    /// Called when the current task is about to write.
    ///
    /// - Parameter isExclusive: Whether writes are impossible while a snapshot is open.
    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool)
}

/// Defaults for an observer that only needs to know what is read.
extension ReadObserver {
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) {}

    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate) {
        note(list)
        note(commits, of: gate)
    }

    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)? { nil }

    var mayShare: Bool { false }

    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? { nil }

    func readAlone() {}

    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {}
}

/// An observer that is notified of a commit before the commit can be read. Called on the thread of the connection.
protocol CommitObserver: Sendable {
    /// Returns the number of the commit.
    func begin(_ change: SQLiteChangeSet) -> UInt64
    func end(_ number: UInt64, isDone: Bool)
}

/// Records what a read of the database reads.
///
/// A read on a lane notifies its observer before it reads. A read on its caller's thread takes microseconds, so it reports its first
/// regions together with its snapshot. A snapshot is older than the notes of its later statements, and a change in between notifies no
/// reader, because the region wasn't noted yet. So the feed is queried for such changes after each note.
final class ReadTracking {
    private let observer: any ReadObserver
    private let feed: ChangeFeed
    private let start: UInt64
    /// Whether the first list is reported together with the snapshot.
    private let isBrief: Bool
    /// Whether the first list is still to be reported.
    private var isPending = false
    /// The last commit that the snapshot is certain to include; `nil` once the snapshot is taken.
    private var settled: UInt64?
    /// The first list of regions. Usually there is no other.
    private var first: RegionList?
    private var others: Set<SQLiteRegion> = []
    /// The other statements that were reported with them.
    private var statements: [StatementDescription] = []
    /// The maximum number of these statements. A client shows fewer.
    private static let statementLimit = 32
    /// The regions to report to the observer after the read; see ``end()``.
    private var missed: [SQLiteRegion] = []

    /// Creates the tracking of a read, before its snapshot is taken.
    ///
    /// - Parameter mayWait: Whether the thread may wait for a commit in progress. If not, and there is one, the read must move.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed, mayWait: Bool) throws(ReadMove) {
        self.observer = observer
        self.feed = feed
        start = feed.number
        isBrief = !mayWait
        settled = mayWait ? feed.commits.settled() : feed.commits.settledNow
        if settled == nil { throw ReadMove(isLong: false) }
    }

    /// Creates the tracking of a read in an existing snapshot.
    ///
    /// - Parameter start: The number of the latest change that the snapshot includes.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed, since start: UInt64) {
        self.observer = observer
        self.feed = feed
        self.start = start
        isBrief = false
        settled = nil
    }

    func note(_ list: RegionList) {
        guard let first else {
            first = list
            if isBrief, settled != nil { isPending = true } else { report(list) }
            return
        }
        if first === list { return }
        reportPending()
        let new = list.regions.filter { !first.regions.contains($0) && others.insert($0).inserted }
        let statement = list.statement.flatMap { isNew($0, after: first) ? $0 : nil }
        if let statement { statements.append(statement) }
        if !new.isEmpty || statement != nil { report(RegionList(new, readBy: statement)) }
    }

    private func isNew(_ statement: StatementDescription, after first: RegionList) -> Bool {
        first.statement !== statement && statements.count < Self.statementLimit && !statements.contains { $0 === statement }
    }

    /// Whether the observer has not yet been notified of the commits that the snapshot includes.
    var awaitsSnapshot: Bool { settled != nil }

    /// Notifies the observer of the snapshot. Returns false if a commit was in progress when the snapshot was taken: then it is unknown
    /// whether the snapshot includes it, and ``noteSnapshot(_:)`` or a move of the read must follow.
    func noteCertainSnapshot() -> Bool {
        guard let settled else { return true }
        guard feed.commits.latest == settled else { return false }
        self.settled = nil
        note(settled...settled)
        return true
    }

    /// Takes another snapshot, up to eight times, until it is known which commits it includes, and notifies the observer.
    ///
    /// - Parameter again: Discards the snapshot and takes another one.
    func noteSnapshot(_ again: () throws -> Void) rethrows {
        guard var settled else { return }
        self.settled = nil
        for _ in 0..<8 where feed.commits.latest != settled {
            settled = feed.commits.settled()
            try again()
        }
        note(settled...feed.commits.latest)
    }

    private func note(_ commits: ClosedRange<UInt64>) {
        guard isPending, let first, !first.regions.isEmpty else { return observer.note(commits, of: feed.commits) }
        isPending = false
        feed.watched.add(first)
        observer.note(first, commits, of: feed.commits)
        check(first)
    }

    /// Reports what is still to be reported, and returns the regions that changed before they were reported.
    func end() -> [SQLiteRegion] {
        reportPending()
        return missed
    }

    private func reportPending() {
        guard isPending, let first else { return }
        isPending = false
        report(first)
    }

    private func report(_ list: RegionList) {
        guard !list.regions.isEmpty || list.statement != nil else { return }
        feed.watched.add(list)
        observer.note(list)
        check(list)
    }

    private func check(_ list: RegionList) {
        if feed.number != start, !list.regions.isEmpty { missed += feed.changed(list.regions, since: start) }
    }
}

/// The regions that a write reads. It sees its own change, so they are reported to the observer after that change has been published.
struct CollectedReads {
    /// The first list of regions. Usually there is no other.
    private var first: RegionList?
    private var others: Set<SQLiteRegion> = []

    var regions: [SQLiteRegion] { (first?.regions ?? []) + others }

    mutating func note(_ list: RegionList) {
        guard let first else {
            first = list
            return
        }
        if first !== list { others.formUnion(list.regions.filter { !first.regions.contains($0) }) }
    }
}
