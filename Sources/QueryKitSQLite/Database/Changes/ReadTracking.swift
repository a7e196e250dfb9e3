import QueryKit

/// Records what a read of the database reads.
///
/// A read on a lane notifies its observer before it reads. A read on its caller's thread takes microseconds, so it reports its first
/// regions together with its snapshot. A snapshot is older than the notes of its later statements, and a change in between notifies no
/// reader, because the region wasn't noted yet. So the feed is queried for such changes after each note.
///
/// A connection uses one object for all its reads. Between two reads it remembers what it has reported, because a run often reads the
/// same regions many times.
final class ReadTracking {
    private let feed: ChangeFeed
    private let commits: CommitGate
    /// The current read; `nil` between two reads.
    private var reads: ObservedReads?
    /// The number of the latest change at the beginning of the read.
    private var start: UInt64 = 0
    /// Whether the first list is reported together with the snapshot.
    private var isBrief = false
    /// Whether the first list is still to be reported.
    private var isPending = false
    /// The last commit that the snapshot is certain to include; `nil` once the snapshot is taken.
    private var settled: UInt64?
    /// The first list of regions. Usually there is no other. Kept after the read.
    private var first: RegionList?
    /// Whether it contains ranges.
    private var hasRanges = false
    /// Whether ``first`` belongs to the current read.
    private var hasFirst = false
    /// The notes to which ``first`` and ``reportedCommits`` were reported; see ``SourceRun/record``.
    private var reportedTo: AnyObject?
    private var reportedID: ObjectIdentifier?
    private var reportedCommits: ClosedRange<UInt64> = 0...0
    /// Whether the current run has these notes.
    private var isReported = false
    /// The parts that only some reads have. Empty between two reads.
    private var rest = Rest()
    private var hasRest = false

    private struct Rest {
        /// The regions after those of the first list.
        var regions: Set<SQLiteRegion> = []
        /// The other statements that were reported with them.
        var statements: [StatementDescription] = []
        /// The regions to report to the observer after the read; see ``end(_:)``.
        var missed: [SQLiteRegion] = []

        /// The maximum number of statements. A client shows fewer.
        static let statementLimit = 32
    }

    init(_ feed: ChangeFeed) { (self.feed, commits) = (feed, feed.commits) }

    /// Begins a read, before its snapshot is taken.
    ///
    /// - Parameters:
    ///   - reads: The read. It is moved out of this variable until ``end(_:)``, because copying would take longer.
    ///   - mayWait: Whether the thread may wait for a commit in progress. If it may not and a commit is in progress, the read must move.
    func begin(_ reads: inout ObservedReads?, mayWait: Bool) throws(ReadMove) {
        start = feed.number
        isBrief = !mayWait
        settled = mayWait ? commits.settled() : commits.settledNow
        if settled == nil { throw ReadMove(isLong: false) }
        isReported = reportedID != nil && reads?.run?.recordID == reportedID
        swap(&self.reads, &reads)
    }

    /// Begins a read in an existing snapshot.
    ///
    /// - Parameter start: The number of the latest change that the snapshot includes.
    func begin(_ reads: ObservedReads, since start: UInt64) {
        self.start = start
        isBrief = false
        settled = nil
        self.reads = reads
    }

    /// Notes what a statement reads, if the previous read on this connection began with the same regions, and the current run has noted
    /// them already. Returns false if ``note(_:)`` must follow, which takes longer.
    func noteAgain(_ statement: Statement) -> Bool {
        guard isReported, isBrief, !hasFirst, settled != nil, statement.constantReads === first else { return false }
        (hasFirst, isPending) = (true, true)
        return true
    }

    func note(_ list: RegionList) {
        if hasFirst { return noteFurther(list) }
        hasFirst = true
        if first !== list {
            first = list
            hasRanges = !list.ranges.isEmpty
            (reportedTo, reportedID, isReported) = (nil, nil, false)
        }
        if isBrief, settled != nil { isPending = true } else { report(list) }
    }

    private func noteFurther(_ list: RegionList) {
        guard let first, first !== list else { return }
        reportPending()
        hasRest = true
        let new = list.regions.filter { !first.regions.contains($0) && rest.regions.insert($0).inserted }
        let statement = list.statement.flatMap { isNew($0, after: first) ? $0 : nil }
        if let statement { rest.statements.append(statement) }
        if !new.isEmpty || statement != nil { report(RegionList(new, readBy: statement)) }
    }

    private func isNew(_ statement: StatementDescription, after first: RegionList) -> Bool {
        first.statement !== statement && rest.statements.count < Rest.statementLimit && !rest.statements.contains { $0 === statement }
    }

    /// Call after the first step of each statement. Returns false if a commit was in progress when the snapshot was taken: then it is
    /// unknown whether the snapshot includes that commit, and ``noteSnapshot(_:)`` or a move of the read must follow.
    func hasCertainSnapshot(_ connection: Connection, after statement: Statement) -> Bool {
        if settled == nil || !connection.hasSnapshot(after: statement) { return true }
        return noteCertainSnapshot()
    }

    /// Notifies the observer of the snapshot, which has just been taken. Returns false if it is uncertain.
    func noteCertainSnapshot() -> Bool {
        guard let settled else { return true }
        guard commits.latest == settled else { return false }
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
        for _ in 0..<8 where commits.latest != settled {
            settled = commits.settled()
            try again()
        }
        note(settled...commits.latest)
    }

    private func note(_ commits: ClosedRange<UInt64>) {
        if isPending, isReported, reportedCommits == commits {
            isPending = false
            if hasRanges, let first { feed.watched.add(first) }
            if feed.number != start, let first { check(first) }
            return
        }
        guard let reads else { return }
        guard isPending, let first, !first.regions.isEmpty else { return reads.note(commits, of: self.commits) }
        isPending = false
        feed.watched.add(first)
        // Determined before the note: while no client is connected, the commits aren't recorded. So they must not count as reported, even
        // if a client is connected in the meantime.
        let isFollowed = reads.observer.isFollowed
        reads.note(first, commits, of: self.commits)
        reportedTo = isFollowed ? reads.run?.record : nil
        reportedID = reportedTo.map { ObjectIdentifier($0) }
        reportedCommits = commits
        check(first)
    }

    /// Ends the read: reports what is still to be reported, and returns the regions that changed before they were reported.
    ///
    /// - Parameter reads: Receives the read that ``begin(_:mayWait:)`` has taken.
    func end(_ reads: inout ObservedReads?) -> [SQLiteRegion] {
        if isPending { reportPending() }
        let missed = hasRest ? rest.missed : []
        discard(&reads)
        return missed
    }

    /// Ends a read that begins again elsewhere, and reports nothing.
    func discard(_ reads: inout ObservedReads?) {
        swap(&self.reads, &reads)
        (isPending, hasFirst) = (false, false)
        if hasRest { (rest, hasRest) = (Rest(), false) }
    }

    private func reportPending() {
        guard isPending, let first else { return }
        isPending = false
        report(first)
    }

    private func report(_ list: RegionList) {
        guard let reads, !list.regions.isEmpty || list.statement != nil else { return }
        feed.watched.add(list)
        reads.note(list)
        check(list)
    }

    private func check(_ list: RegionList) {
        if feed.number == start || list.regions.isEmpty { return }
        hasRest = true
        rest.missed += feed.changed(list.regions, since: start)
    }
}

/// The regions that a write reads. A write sees its own change, so the regions are reported to the observer after that change has been
/// published.
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
