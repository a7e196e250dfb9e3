import QueryKit

/// Learns what a read looks at. The database calls it, and knows nothing of what it does with that.
protocol ReadObserver: AnyObject, Sendable {
    /// Rows of these regions are about to be read. Called on the thread of a connection.
    func note(_ list: RegionList)

    /// The snapshot is taken: it sees all commits up to the first number, and none after the last; see ``CommitGate``.
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate)

    /// These regions had changed between the beginning of the read and the note, so that nobody knew of it. Called when the read is over.
    func outdate(_ regions: [SQLiteRegion])

    /// What has to know of the commits of the present task; `nil` if nothing has.
    func witness(_ gate: CommitGate) -> (any CommitWitness)?

    /// Whether the present task may read one moment together with others.
    var mayShare: Bool { get }

    /// The moment of a source that it reads together with others; `nil` if it reads by itself.
    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot?

    /// The present task can't read that moment any more.
    func readAlone()

    /// The present task is about to write.
    ///
    /// - Parameter isExclusive: Whether nothing can be written while a snapshot is open.
    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool)
}

/// An observer that only wants to know what is read needs none of these.
extension ReadObserver {
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) {}

    func witness(_ gate: CommitGate) -> (any CommitWitness)? { nil }

    var mayShare: Bool { false }

    func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? { nil }

    func readAlone() {}

    func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {}
}

/// Hears of a commit before it can be read. Called on the thread of the connection.
protocol CommitWitness: Sendable {
    /// Returns the number of the commit.
    func begin(_ change: SQLiteChangeSet) -> UInt64
    func end(_ number: UInt64, isDone: Bool)
}

/// What one transaction reads.
///
/// A read tells its observer before it looks. Its snapshot is older than the notes of its later statements, and a change in between reaches nobody,
/// since nobody was known to read the region yet; so the feed is asked for it after each note. A write only collects: it sees its own change, and
/// is told of as a reader when that change is out.
final class ReadTracking {
    private let observer: (any ReadObserver)?
    private let feed: ChangeFeed?
    private let start: UInt64
    /// The last commit that the snapshot sees for certain; `nil` once the snapshot is taken.
    private var settled: UInt64?
    /// What was noted first, which is mostly all.
    private var first: RegionList?
    private var others: Set<SQLiteRegion> = []
    /// What the observer has to be told when the read is over.
    private(set) var missed: [SQLiteRegion] = []

    /// For a read; made before the snapshot is taken.
    ///
    /// - Parameter mayWait: Whether the thread may wait for a commit in progress; if not, and there is one, the read has to move.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed, mayWait: Bool) throws(ReadMove) {
        self.observer = observer
        self.feed = feed
        start = feed.number
        settled = mayWait ? feed.commits.settled() : feed.commits.settledNow
        if settled == nil { throw ReadMove(isLong: false) }
    }

    /// For a read in a snapshot that was taken before.
    ///
    /// - Parameter start: The number of the latest change that the snapshot shows.
    init(_ observer: any ReadObserver, _ feed: ChangeFeed, since start: UInt64) {
        self.observer = observer
        self.feed = feed
        self.start = start
        settled = nil
    }

    /// For a write.
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
            return tell(list)
        }
        if first === list { return }
        let new = list.regions.filter { !first.regions.contains($0) && others.insert($0).inserted }
        if !new.isEmpty { tell(RegionList(new)) }
    }

    /// Whether the observer has yet to be told which commits the snapshot sees.
    var awaitsSnapshot: Bool { settled != nil }

    /// Whether the snapshot holds a known number of commits.
    var isSnapshotCertain: Bool { settled == feed?.commits.latest }

    /// The snapshot is taken. If a commit was in progress just then, it is unknown whether the snapshot holds it, and another one is taken: a few
    /// times at most.
    ///
    /// - Parameter again: Gives the snapshot up, and takes another one.
    func noteSnapshot(_ again: () throws -> Void) rethrows {
        guard var settled, let observer, let feed else { return }
        self.settled = nil
        for _ in 0..<8 where feed.commits.latest != settled {
            settled = feed.commits.settled()
            try again()
        }
        observer.note(settled...feed.commits.latest, of: feed.commits)
    }

    private func tell(_ list: RegionList) {
        guard let observer, let feed, !list.regions.isEmpty else { return }
        feed.watched.add(list)
        observer.note(list)
        missed += feed.changed(list.regions, since: start)
    }
}
