/// A snapshot of a source, which a round reads.
package protocol SourceSnapshot: AnyObject, Sendable {
    /// Ends the snapshot, because the round is over. A read under way continues to its end.
    func end()
}

/// One round of ``ConsistentRounds``, with the snapshots of the sources that its runs read.
final class ConsistentRound: Sendable {
    private struct State {
        var numbers = RoundNumbers()
        var snapshots: [ObjectIdentifier: any SourceSnapshot] = [:]
        var alarm: QueryAlarm?
        var isOver = false
    }

    private let state = Lock(State())

    var numbers: RoundNumbers { state.withLock { $0.numbers } }

    /// The last change that all sources of the round include; `nil` before a source was read.
    var firstNumber: ChangeNumber? { numbers.first }

    func note(_ number: ChangeNumber) { state.withLock { $0.numbers.note(number) } }

    func has(_ source: ObjectIdentifier) -> Bool { state.withLock { $0.snapshots[source] != nil } }

    /// The snapshot of a source, which the first call creates; `nil` once the round is over.
    func snapshot(of source: ObjectIdentifier, _ make: () -> any SourceSnapshot) -> (any SourceSnapshot)? {
        state.withLock { state in
            if state.isOver { return nil }
            if let snapshot = state.snapshots[source] { return snapshot }
            let snapshot = make()
            state.snapshots[source] = snapshot
            return snapshot
        }
    }

    /// Sets the alarm that ends the round at its time limit.
    func set(_ alarm: QueryAlarm) {
        let isOver = state.withLock { state in
            if !state.isOver { state.alarm = alarm }
            return state.isOver
        }
        if isOver { alarm.cancel() }
    }

    func end() {
        let (snapshots, alarm) = state.withLock { state in
            state.isOver = true
            defer { (state.snapshots, state.alarm) = ([:], nil) }
            return (Array(state.snapshots.values), state.alarm)
        }
        alarm?.cancel()
        for snapshot in snapshots { snapshot.end() }
    }
}

/// Reports the moment of a snapshot to a round.
package struct SnapshotMoment: Sendable {
    fileprivate let round: ConsistentRound
    fileprivate let host: any StoreHost

    /// Call this when the snapshot is taken, at a moment when the client has processed exactly the changes that the snapshot includes.
    package func note() { round.note(host.latestChange) }
}

extension QueryReads {
    /// Whether the run may have to read in a round with others.
    package var mayShare: Bool { ConsistentRounds.areUsed && consistentRun != nil }

    /// Returns a snapshot of a source, which the run shares with the runs of other consistent requests; `nil` if the run reads on its own.
    ///
    /// Call this before each read, because the run may leave the round between two reads.
    ///
    /// - Parameter make: Creates a snapshot that has not begun.
    package func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? {
        guard let (run, rounds) = consistentRun, let round = await rounds.enter(run) else { return nil }
        let moment = SnapshotMoment(round: round, host: run.store.host)
        return round.snapshot(of: ObjectIdentifier(source)) { make(moment) } as? Snapshot
    }

    /// Call this if the run can't read the shared snapshots. The run reads on its own from now on.
    package func readAlone() {
        if let (run, rounds) = consistentRun { rounds.leave(run) }
    }

    /// Call this before the run changes a source. To read what it has written, the run reads on its own from now on.
    ///
    /// - Parameter isExclusive: Whether nothing can be written while a snapshot of the source is open.
    package func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {
        guard let (run, rounds) = consistentRun else { return }
        rounds.leave(run)
        if isExclusive { rounds.endForWrite(by: run, to: ObjectIdentifier(source)) }
    }
}
