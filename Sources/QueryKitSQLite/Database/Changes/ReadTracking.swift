import QueryKit

/// Receives what a transaction reads. The database calls it without knowing how the information is used.
protocol ReadObserver: AnyObject, Sendable {
    /// Called before rows of these regions are read, on the thread of a connection.
    func note(_ list: RegionList)

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

    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)? { nil }

    var mayShare: Bool { false }

    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? { nil }

    func readAlone() {}

    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {}
}

/// Is notified of a commit before the commit can be read. Called on the thread of the connection.
protocol CommitObserver: Sendable {
    /// Returns the number of the commit.
    func begin(_ change: SQLiteChangeSet) -> UInt64
    func end(_ number: UInt64, isDone: Bool)
}

/// Records what a transaction reads.
///
/// A read notifies its observer before it reads. Its snapshot is older than the notes of its later statements, and a change in between
/// notifies no reader, because the region wasn't noted yet. So the feed is queried for such changes after each note. A write only collects
/// regions: it sees its own change, and its reads are reported to the observer after that change has been published.
final class ReadTracking {
    private let observer: (any ReadObserver)?
    private let feed: ChangeFeed?
    private let start: UInt64
    /// The last commit that the snapshot is certain to include; `nil` once the snapshot is taken.
    private var settled: UInt64?
    /// The first list of regions. Usually there is no other.
    private var first: RegionList?
    private var others: Set<SQLiteRegion> = []
    /// The regions to report to the observer after the read.
    private(set) var missed: [SQLiteRegion] = []

    /// Creates the tracking of a read, before its snapshot is taken.
    ///
    /// - Parameter mayWait: Whether the thread may wait for a commit in progress. If not, and there is one, the read must move.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed, mayWait: Bool) throws(ReadMove) {
        self.observer = observer
        self.feed = feed
        start = feed.number
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
        settled = nil
    }

    /// Creates the tracking of a write.
    init() {
        observer = nil
        feed = nil
        start = 0
        settled = nil
    }

    var collected: [SQLiteRegion] { (first?.regions ?? []) + others }

    func note(_ list: RegionList) {
        guard let first else {
            first = list
            return report(list)
        }
        if first === list { return }
        let new = list.regions.filter { !first.regions.contains($0) && others.insert($0).inserted }
        if !new.isEmpty { report(RegionList(new)) }
    }

    /// Whether the observer has not yet been notified of the commits that the snapshot includes.
    var awaitsSnapshot: Bool { settled != nil }

    /// Whether it is certain which commits the snapshot includes.
    var isSnapshotCertain: Bool { settled == feed?.commits.latest }

    /// Notifies the observer of the snapshot. If a commit was in progress when the snapshot was taken, it is unknown whether the snapshot
    /// includes it, and another snapshot is taken, up to eight times.
    ///
    /// - Parameter again: Discards the snapshot and takes another one.
    func noteSnapshot(_ again: () throws -> Void) rethrows {
        guard var settled, let observer, let feed else { return }
        self.settled = nil
        for _ in 0..<8 where feed.commits.latest != settled {
            settled = feed.commits.settled()
            try again()
        }
        observer.note(settled...feed.commits.latest, of: feed.commits)
    }

    private func report(_ list: RegionList) {
        guard let observer, let feed, !list.regions.isEmpty else { return }
        feed.watched.add(list)
        observer.note(list)
        missed += feed.changed(list.regions, since: start)
    }
}
