#if Postgres
/// Receives what a transaction reads. The database calls it without knowing how the information is used.
protocol ReadObserver: AnyObject, Sendable {
    /// Whether the reads matter. If not, statements need no companions.
    var wantsReads: Bool { get }

    /// Called after a statement has read these regions. A change from now on reaches the reader.
    func note(_ regions: [PostgresRegion])

    /// Called after a statement with the commits that its snapshot includes: all up to the first number, and none after the last; see
    /// ``CommitGate``.
    func note(_ commits: ClosedRange<UInt64>, of gate: CommitGate)

    /// Called with regions that changed after the transaction had begun but before it had noted them, so that this reader was not notified
    /// of the change.
    func outdate(_ regions: [PostgresRegion])

    /// Called when a statement has read tables whose changes aren't reported.
    func noteUnfollowed(_ tables: [String])

    /// The object that is notified of the current task's commits; `nil` if there is none.
    func commitObserver(_ gate: CommitGate) -> (any CommitObserver)?

    /// Called when the current task is about to write.
    func willWrite()
}

/// Is notified of a commit.
protocol CommitObserver: Sendable {
    /// Called just before COMMIT is sent. From then on a read may see the commit, and it isn't known yet what it changes.
    func begin()
    /// Called when it is known what the commit changes.
    func note(_ regions: Set<PostgresRegion>)
    func end(isDone: Bool)
}
#endif
