import QueryKit

/// Receives what transactions read. The database calls it without knowing how the information is used.
protocol ReadObserver: AnyObject, Sendable {
    /// Called at the beginning of each read and write. Returns `nil` if there is nothing to record for the current task.
    func begin(isWrite: Bool) -> ObservedReads?

    /// Whether it matters which commits a read sees.
    var isFollowed: Bool { get }

    /// Called before a read reads rows of these regions, and after a write has read them, on the thread of a connection.
    func note(_ list: RegionList, for run: SourceRun?)

    /// Reports regions and commits in one call, after the first row was read. Called for a read on its caller's thread.
    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?)

    /// Called when the snapshot has been taken. It includes all commits up to the first number, and none after the last; see
    /// ``CommitGate``.
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?)

    /// Called at the end of a read or write with regions that changed after it had begun but before it had noted them, so that it was not
    /// notified of the change.
    func outdate(_ regions: [SQLiteRegion], for run: SourceRun?)

    /// The object that is notified of the current task's commits; `nil` if there is none.
    func commitObserver(_ gate: CommitGate, for run: SourceRun?) -> (any CommitObserver)?
}

/// Defaults for an observer that only needs to know what is read.
extension ReadObserver {
    func begin(isWrite: Bool) -> ObservedReads? { ObservedReads(observer: self, run: nil) }

    var isFollowed: Bool { true }

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) {}

    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate, for run: SourceRun?) {
        note(list, for: run)
        note(commits, of: gate, for: run)
    }

    func commitObserver(_ gate: CommitGate, for run: SourceRun?) -> (any CommitObserver)? { nil }
}

/// An observer that is notified of a commit before the commit can be read. Called on the thread of the connection.
protocol CommitObserver: Sendable {
    /// Returns the number of the commit.
    func begin(_ change: SQLiteChangeSet) -> UInt64
    func end(_ number: UInt64, isDone: Bool)
}

/// One read or write of a task, with the observer of the database.
// A struct rather than an object, because each read creates such a value.
struct ObservedReads: Sendable {
    // Invariant: the database retains the observer, and is in use. Counting references would cost as much as everything else here.
    unowned(unsafe) let observer: any ReadObserver
    /// The run that reads or writes; `nil` for an observer that needs no run.
    let run: SourceRun?

    func note(_ list: RegionList) { observer.note(list, for: run) }

    func note(_ list: RegionList, _ commits: ClosedRange<UInt64>, of gate: CommitGate) { observer.note(list, commits, of: gate, for: run) }

    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate) { observer.note(commits, of: gate, for: run) }

    func outdate(_ regions: [SQLiteRegion]) { observer.outdate(regions, for: run) }

    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)? { observer.commitObserver(gate, for: run) }

    /// Whether the run may share a snapshot with other runs.
    var mayShare: Bool { run?.mayShare == true && observer.isFollowed }
}
