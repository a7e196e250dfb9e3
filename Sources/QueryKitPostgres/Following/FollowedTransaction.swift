#if Postgres
import QueryKit
import QueryKitSQL

/// Follows one transaction: what it reads, and what it commits.
///
/// What a statement has read is known only after it has ended, so a change that is recorded before then notifies no reader. After each
/// note, the transaction therefore checks the history for changes since it began. A commit that was recorded before it began was visible to
/// its snapshot.
final class FollowedTransaction: TransactionTracker {
    private struct State {
        /// The last commit that the transaction's snapshot is certain to include.
        var settled: UInt64 = 0
        var reads = ReadSet()
        /// The regions that were noted, or for a write those to note after the commit.
        var regions: Set<PostgresRegion> = []
        /// The number of the transaction on the server, for a write.
        var transaction: UInt64?
        /// What a write is about to commit; `nil` while that is unknown.
        var changes: Set<PostgresRegion>?
        /// The last row of the log that describes these changes.
        var lastRow: Int64?
        /// The observer of the commit, once it has begun.
        var commit: (any CommitObserver)?
    }

    private let state = Lock(State())
    private let follower: Follower
    private let observer: (any ReadObserver)?
    private let isWrite: Bool
    private let wantsReads: Bool
    /// Whether the log can be read.
    private let asksForChanges: Bool
    /// The number of the latest change before the transaction began.
    private let start: UInt64

    /// Creates the tracker of a transaction, before it begins.
    init(_ follower: Follower, _ observer: (any ReadObserver)?, isWrite: Bool, asksForChanges: Bool) {
        self.follower = follower
        self.observer = observer
        self.isWrite = isWrite
        wantsReads = observer?.wantsReads ?? false
        self.asksForChanges = asksForChanges
        start = follower.number
    }

    // MARK: Reads

    func willBegin() async {
        if wantsReads, !isWrite { await follower.gate.wait() }
        let settled = follower.gate.settled
        state.withLock { $0.settled = settled }
    }

    var opening: String? {
        if isWrite, asksForChanges { return wantsReads ? follower.statements.openingOfWrite : follower.statements.number }
        return wantsReads ? follower.statements.opening : nil
    }

    var companion: String? { wantsReads ? follower.statements.companion : nil }

    func didBegin(_ result: PostgresResult?) throws {
        guard let result else { return }
        let (counters, transaction) = try result.opening()
        // Noted before the first write, so that the log can't show this write as a change of another process.
        if let transaction { follower.begin(transaction) }
        state.withLock { state in
            state.reads.begin(counters)
            state.transaction = transaction
        }
    }

    func didRun(_ sql: SQL, _ companion: PostgresResult?) {
        guard let observer, wantsReads else { return }
        guard let uses = try? companion?.tableUses() else { return note([.everything]) }
        let reading = state.withLock { $0.reads.add(uses, claims: sql.partitions) }
        note(reading.regions)
        // Triggers are useful only to an instance that can read the log.
        let isHeard = asksForChanges && !follower.isBehind
        let unfollowed = isHeard ? reading.unfollowed : Set(reading.regions.compactMap(\.table)).sorted()
        guard !unfollowed.isEmpty else { return }
        observer.noteUnfollowed(unfollowed)
        if isHeard { follower.noteUnfollowed(unfollowed) }
    }

    func didFail() { if wantsReads { note([.everything]) } }

    private func note(_ regions: [PostgresRegion]) {
        let new = state.withLock { state in regions.filter { state.regions.insert($0).inserted } }
        // A write sees its own change, so its reads are noted after that change has been published.
        if !isWrite { report(new) }
    }

    private func report(_ regions: [PostgresRegion], except own: UInt64? = nil) {
        guard let observer else { return }
        if !regions.isEmpty { observer.note(regions) }
        let settled = state.withLock { $0.settled }
        observer.note(settled...max(settled, follower.gate.latest), of: follower.gate)
        let missed = follower.changed(regions, since: start, except: own)
        if !missed.isEmpty { observer.outdate(missed) }
    }

    // MARK: Commits

    /// Asked for once, just before COMMIT is sent.
    var closing: String? {
        guard isWrite else { return nil }
        if let commit = observer?.commitObserver(follower.gate) {
            commit.begin()
            state.withLock { $0.commit = commit }
        }
        return asksForChanges ? follower.statements.closing : nil
    }

    func willCommit(_ closing: PostgresResult?) {
        guard isWrite, let rows = try? closing?.logRows() else { return }
        let regions = Set(rows.map { $0.region(follower.columns) })
        let commit = state.withLock { state in
            state.changes = regions
            state.lastRow = rows.last?.id
            return state.commit
        }
        commit?.note(regions)
    }

    func didEnd(_ outcome: TransactionOutcome) {
        guard isWrite else { return }
        let state = state.withLock { $0 }
        // Without a log it is unknown what has changed.
        let changes = state.changes ?? (asksForChanges && state.transaction == nil ? [] : [.everything])
        // Ended before the change is recorded, so that the runs that the change causes are certain to see the commit.
        state.commit?.end(isDone: outcome == .committed && !changes.isEmpty)
        var recorded: Follower.Recorded?
        // After a commit of unknown outcome the log enters the change again: it may become visible only now.
        if outcome != .rolledBack, !changes.isEmpty { recorded = follower.record(.own(changes), by: observer) }
        if let transaction = state.transaction {
            follower.end(transaction, upTo: outcome == .committed ? state.lastRow ?? .min : nil)
        }
        recorded?.deliver()
        if !state.regions.isEmpty { report(Array(state.regions), except: recorded?.number) }
    }
}
#endif
