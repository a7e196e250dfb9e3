import Foundation

/// What the state of a mutation shows of its calls. It changes in the step in which a call does, so that a call and its layers are never
/// seen at different moments.
extension Ledger {
    // MARK: Listing

    /// Adds a call to those of its mutation. One that repeats another takes its place.
    mutating func list(_ call: CallEntry) {
        guard let shown = call.shown else { return }
        let own = shown.entry
        holdRecord(own)
        let log = self[own].record.notes as? CallLog ?? .empty
        self[own].record.notes = log.adding(shown.note, keeping: shown.limit)
        self[own].calls.append(call)
        updateUse(own)
    }

    /// While code of the app decides what layers and results show, the mutation shows its calls as they were.
    mutating func holdShown(_ call: CallEntry) { if let own = call.shown?.entry { holdRecord(own) } }

    /// The entries to show in one step with a call.
    func showing(_ call: CallEntry, _ entries: [Entry]) -> [Entry] {
        guard let own = call.shown?.entry, !entries.contains(own) else { return entries }
        return entries + [own]
    }

    mutating func show(_ call: CallEntry) { if let own = call.shown?.entry { publish(own) } }

    // MARK: Noting

    /// Changes the state of a call, and what its mutation shows of it. Each change that the mutation shows is made here.
    mutating func move(_ call: CallEntry, to state: CallEntry.State) {
        let didWork = self[call].state.isWork
        self[call].state = state
        // What its code waits for has ended before.
        if state.isWork != didWork { if didWork { endWork() } else { beginWork() } }
        guard let own = call.shown?.entry else { return }
        if !state.isPending {
            self[own].calls.removeAll { $0 === call }
            updateUse(own)
        }
        unpublish(own)
        var hasBegun = false
        let date = time.date
        let isLatest = self[own].record.noteCall(call.id) { hasBegun = $0.take(state, at: date) }
        guard hasBegun else { return }
        // Its result is newer than what is written or returned before it begins.
        self[own].lastRun += 1
        let number = self[own].lastRun
        _ = self[own].record.noteCall(call.id) { $0.number = number }
        if isLatest { self[own].record.setFailures(0, nil) }
    }

    /// An attempt has failed, and another one follows.
    mutating func noteFailure(_ call: CallEntry, _ error: any Error) {
        guard let own = call.shown?.entry else { return }
        self[own].record.noteFailure(of: call.id, error) { _ in }
    }

    /// A call has yielded a value.
    mutating func yield(_ call: CallEntry, attempt: Int, _ value: AnyValue) {
        guard case .working(attempt) = self[call].state, let own = call.shown?.entry else { return }
        _ = self[own].record.noteCall(call.id) { $0.progress = value }
        publish(own)
    }

    /// R21: hides the errors of the calls that have failed.
    mutating func dismissError(_ own: Entry) {
        guard self[own].record.error != nil else { return }
        self[own].record.dismissError()
        publish(own)
    }

    /// Another call is made instead of one that was refused. Returns false if one was already.
    mutating func noteReplacement(of id: UUID, _ own: Entry, isReplaced: Bool = true) -> Bool {
        var isNew = false
        _ = self[own].record.noteCall(id) { note in
            isNew = note.isReplaced != isReplaced
            note.isReplaced = isReplaced
        }
        if isNew { publish(own) }
        return isNew
    }

    /// The calls of an emptied mutation that go on (R34).
    func pendingNotes(_ entry: Entry) -> CallLog? { (self[entry].record.notes as? CallLog)?.pendingOnly }

    // MARK: Results

    /// Whether a result is newer than what was written, and than the results of other calls.
    private mutating func isNewest(_ call: CallEntry, _ own: Entry) -> Bool {
        guard let note = (self[own].record.notes as? CallLog)?.note(call.id) else { return false }
        guard !note.isOverwritten, note.number ?? .max > self[own].lastCall else { return false }
        if let number = note.number { self[own].lastCall = number }
        return true
    }

    mutating func take(_ value: AnyValue, of call: CallEntry) {
        guard let own = call.shown?.entry, isNewest(call, own) else { return }
        let (failures, reason) = (self[own].record.failures, self[own].record.failureReason)
        self[own].record.succeed(at: time)
        // The state counts the failures of the latest call only.
        if (self[own].record.notes as? CallLog)?.isLatest(call.id) != true { self[own].record.setFailures(failures, reason) }
        self[own].record.cause = .manual
        self[own].result = .success(value)
        setBase(own, value)
    }

    mutating func take(_ error: any Error, of call: CallEntry) {
        noteFailure(call, error)
        guard let own = call.shown?.entry, isNewest(call, own) else { return }
        self[own].record.fail(error, at: time)
        self[own].record.cause = .manual
        self[own].result = .failure(error)
    }

    // MARK: Flags

    /// How the calls of a mutation show.
    func flags(ofCalls calls: [CallEntry]) -> QueryRecord.Flags {
        var flags: QueryRecord.Flags = []
        for call in calls {
            switch self[call].state {
            case .asking where self[call].hasBegun, .waiting where self[call].hasBegun, .working: flags.insert(.fetching)
            case .paused: flags.insert(.paused)
            case .asking, .waiting, .writing, .queued, .stuck, .landing, .ended: break
            }
        }
        return flags
    }
}

extension CallNote {
    /// Notes the state of the call. Returns whether it begins.
    fileprivate mutating func take(_ state: CallEntry.State, at date: Date) -> Bool {
        switch state {
        case .writing, .queued: status = .waiting
        case .paused: status = .paused
        case .asking, .waiting: status = number == nil ? .waiting : .running
        case .working:
            startedAt = startedAt ?? date
            status = .running
            return number == nil
        case .stuck(let error), .ended(.failure(let error)):
            end(error is CancellationError ? .cancelled : .failed(error), at: date)
        case .landing(let value), .ended(.success(let value)): end(.succeeded(value), at: date)
        }
        return false
    }
}
