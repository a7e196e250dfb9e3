/// What a source shows while a round lasts: one moment of its data.
package protocol SourceSnapshot: AnyObject, Sendable {
    /// The round is over. A read that is under way goes on to its end.
    func end()
}

/// One round of a ``Picture``: the snapshots of the sources that its runs read.
final class PictureRound: Sendable {
    private struct State {
        var numbers = PictureNumbers()
        var snapshots: [ObjectIdentifier: any SourceSnapshot] = [:]
        var alarm: QueryAlarm?
        var isOver = false
    }

    private let state = Lock(State())

    var numbers: PictureNumbers { state.withLock { $0.numbers } }

    /// The change up to which all of its sources show everything; `nil` before one was read.
    var firstNumber: ChangeNumber? { numbers.first }

    func note(_ number: ChangeNumber) { state.withLock { $0.numbers.note(number) } }

    func has(_ source: ObjectIdentifier) -> Bool { state.withLock { $0.snapshots[source] != nil } }

    /// The snapshot of a source, made by the first who asks; `nil` once the round is over.
    func snapshot(of source: ObjectIdentifier, _ make: () -> any SourceSnapshot) -> (any SourceSnapshot)? {
        state.withLock { state in
            if state.isOver { return nil }
            if let snapshot = state.snapshots[source] { return snapshot }
            let snapshot = make()
            state.snapshots[source] = snapshot
            return snapshot
        }
    }

    /// Keeps what ends the round after its time.
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

/// Tells a round of which moment a snapshot is.
package struct SnapshotMoment: Sendable {
    fileprivate let round: PictureRound
    fileprivate let host: any StoreHost

    /// The snapshot is taken. No change that it lacks has been entered by the client yet, and all that it shows have been.
    package func note() { round.note(host.latestChange) }
}

extension QueryReads {
    /// Whether the run may have to read together with others.
    package var mayShare: Bool { pictureRun != nil }

    /// The snapshot of a source that the run reads with those of other consistent requests; `nil` if it reads by itself.
    ///
    /// Ask before each read: the run may leave the others in between.
    ///
    /// - Parameter make: Makes a snapshot that has not begun.
    package func snapshot<Snapshot: SourceSnapshot>(
        of source: some AnyObject & Sendable,
        _ make: (SnapshotMoment) -> Snapshot
    ) async -> Snapshot? {
        guard let (run, picture) = pictureRun, let round = await picture.enter(run) else { return nil }
        let moment = SnapshotMoment(round: round, host: run.store.host)
        return round.snapshot(of: ObjectIdentifier(source)) { make(moment) } as? Snapshot
    }

    /// The run can't read what the others read: it reads by itself from now on.
    package func readAlone() {
        if let (run, picture) = pictureRun { picture.leave(run) }
    }

    /// The run is about to change a source, and wants to read what it has written: it reads by itself from now on.
    ///
    /// - Parameter isExclusive: Whether nothing can be written while a snapshot of the source is open.
    package func willWrite(to source: some AnyObject & Sendable, isExclusive: Bool) {
        guard let (run, picture) = pictureRun else { return }
        picture.leave(run)
        if isExclusive { picture.endForWrite(by: run, to: ObjectIdentifier(source)) }
    }
}
