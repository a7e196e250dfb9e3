/// The run that reads or writes a source, for the parts of the source that don't know what requests are.
package struct SourceRun: Sendable {
    /// The reads of the run, for the parts of the source that know about requests.
    package let reads: QueryReads
    /// The identity of ``record`` when this value was created.
    package let recordID: ObjectIdentifier?

    /// The current task's run; `nil` outside of a run.
    package static var current: SourceRun? {
        guard let reads = QueryReads.current else { return nil }
        return SourceRun(reads: reads, recordID: reads.scope.recordID)
    }

    /// The notes of the run, or of the part of it that reads; `nil` if nothing has been noted. While you keep the object, no other run has
    /// the same one. So you can compare objects to find out whether a run has already noted something. The object doesn't keep the run in
    /// memory.
    package var record: AnyObject? { reads.scope.record }

    /// Whether the run may have to read in a round with others.
    package var mayShare: Bool { reads.mayShare }

    /// The snapshot that the run shares with others; see ``QueryReads``.
    package func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? {
        await reads.snapshot(of: source, make)
    }

    /// Call this if the run can't read the shared snapshots.
    package func readAlone() { reads.readAlone() }

    /// Call this before the run changes a source.
    package func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {
        reads.willWrite(to: source, isExclusive: isExclusive)
    }
}
