/// Calls of mutations: how they begin, continue with another attempt, and end.
extension Ledger {
    /// The calls of one scope, which run one after the other in the order in which they were made.
    struct Queue: Sendable { var calls: [CallEntry] = [] }

    mutating func nextCall() -> UInt64 {
        lastCall += 1
        return lastCall
    }

    // MARK: Beginning

    /// Shows a call and its layers in one step, and lets it wait for its turn.
    mutating func submit(_ call: CallEntry) {
        let entries = enter(call)
        start(call)
        derive(entries)
    }

    /// Returns the entries that must show the call or its layers.
    mutating func enter(_ call: CallEntry) -> [Entry] {
        calls[call.number] = call
        let entries = lay(call)
        list(call)
        return showing(call, entries)
    }

    mutating func start(_ call: CallEntry) {
        if let scope = call.scope { scopes[scope, default: Queue()].calls.append(call) }
        if call.isDurable {
            move(call, to: .writing)
            write(.append, call)
        } else {
            _ = advance(call)
        }
        if call.isOfControl, let own = call.shown?.entry {
            // Only now, so that the shown value changes directly from that of the former call to the new one.
            for former in self[own].calls where former.isOfControl && former !== call && hasNotBegun(former) { withdraw(former) }
        }
    }

    /// Whether a call waits for the journal or for others of its scope.
    private func hasNotBegun(_ call: CallEntry) -> Bool {
        switch self[call].state {
        case .writing, .queued: true
        case .working, .paused, .waiting, .stuck, .landing, .ended: false
        }
    }

    /// The journal has the call, so that it may begin; or it can't be written.
    mutating func journaled(_ call: CallEntry, _ failure: (any Error)?) {
        finishWriting()
        guard case .writing = self[call].state else { return }
        move(call, to: .queued)
        if let failure { end(call, .failure(failure)) } else if advance(call) { show(call) }
    }

    /// Begins a call if it is its turn.
    private mutating func advance(_ call: CallEntry) -> Bool {
        guard case .queued = self[call].state else { return false }
        if let scope = call.scope, scopes[scope]?.calls.first !== call { return false }
        if network.isOffline, call.networkMode == .online { move(call, to: .paused) } else { begin(call) }
        return true
    }

    mutating func advance(scope: String?) {
        if let scope, let next = scopes[scope]?.calls.first, advance(next) { show(next) }
    }

    private mutating func begin(_ call: CallEntry) {
        self[call].attempts += 1
        let attempt = self[call].attempts
        move(call, to: .working(attempt: attempt))
        if let timeout = call.timeout { schedule(.callTimeout(call, attempt), after: timeout) }
        effects.append(.begin(call, attempt: attempt))
    }

    // MARK: Attempts

    func isCurrent(_ call: CallEntry, _ attempt: Int) -> Bool {
        if case .working(let current) = self[call].state { current == attempt } else { false }
    }

    /// An attempt of a call has ended.
    mutating func callEnded(_ call: CallEntry, attempt: Int, _ outcome: CallEntry.Outcome) {
        guard isCurrent(call, attempt) else { return }
        endWaits(call)
        switch outcome {
        case .success(let value, let patterns): succeed(call, value, patterns)
        case .failure(let error, let verdict): fail(call, error, verdict)
        }
        noteFirstAttempt(of: call)
        passOn(call)
    }

    private mutating func fail(_ call: CallEntry, _ error: any Error, _ verdict: CallEntry.Verdict) {
        switch verdict {
        case .refused: end(call, .failure(error))
        case .retry(let delay):
            self[call].retries += 1
            repeatLater(call, error, after: delay)
        case .repeats: repeatLater(call, error, after: .zero)
        case .passing(let delay, let counts): pass(call, error, after: delay, counts: counts)
        case .whenOnline(let other):
            guard network.isOffline, call.networkMode != .always else { return fail(call, error, other) }
            noteFailure(call, error)
            move(call, to: .paused)
            show(call)
        }
    }

    private mutating func repeatLater(_ call: CallEntry, _ error: any Error, after delay: Nanoseconds) {
        noteFailure(call, error)
        move(call, to: .waiting(until: now.later(by: delay)))
        if delay <= .zero { return repeatCall(call, afterAttempts: self[call].attempts) }
        schedule(.call(call, self[call].attempts), after: delay)
        show(call)
    }

    /// R35: a failure that passes keeps the call, its layers, its key and its place. After too many that count, it is set aside.
    private mutating func pass(_ call: CallEntry, _ error: any Error, after delay: Nanoseconds, counts: Bool) {
        guard call.isDurable else { return end(call, .failure(error)) }
        if counts { self[call].failures += 1 }
        answerCallers(call, .failure(error))
        if self[call].failures < limits.failures { return repeatLater(call, error, after: delay) }
        holdShown(call)
        noteFailure(call, error)
        move(call, to: .stuck(error))
        leaveScope(call)
        derive(showing(call, dropLayers(call)))
        foldAfterDropping(call)
        advance(scope: call.scope)
    }

    mutating func repeatCall(_ call: CallEntry, afterAttempts attempts: Int) {
        guard case .waiting = self[call].state, self[call].attempts == attempts else { return }
        if network.isOffline, call.networkMode != .always { move(call, to: .paused) } else { begin(call) }
        show(call)
    }

    /// Continues a call that waits for the network; returns false if it doesn't.
    mutating func resume(_ call: CallEntry) -> Bool {
        switch self[call].state {
        case .paused, .waiting: begin(call)
        case .writing, .queued, .working, .stuck, .landing, .ended: return false
        }
        show(call)
        return true
    }

    /// A call that was set aside is tried again, after the others of its scope.
    mutating func retry(_ call: CallEntry) {
        guard case .stuck = self[call].state else { return }
        (self[call].failures, self[call].retries) = (0, 0)
        let entries = lay(call)
        list(call)
        move(call, to: .queued)
        if let scope = call.scope { scopes[scope, default: Queue()].calls.append(call) }
        _ = advance(call)
        derive(showing(call, entries))
    }

    /// R26: the attempt has taken too long. What it returns later is ignored, and the engine asks what follows.
    mutating func timeOut(_ call: CallEntry, attempt: Int) {
        guard isCurrent(call, attempt) else { return }
        self[call].attempts += 1
        endWaits(call)
        move(call, to: .working(attempt: attempt + 1))
        effects.append(.cancelCall(call, attempt: attempt))
        effects.append(.expireCall(call, attempt: attempt + 1))
    }

    // MARK: Ending

    /// Its layers stay until the entries have seen what it has done, or won't be fetched again (R22).
    private mutating func succeed(_ call: CallEntry, _ value: AnyValue, _ patterns: [QueryPattern]) {
        leaveScope(call)
        let entries = self[call].layers.map(\.entry)
        self[call].commit = change.next
        holdShown(call)
        move(call, to: .landing(value))
        if let own = call.shown?.entry {
            take(value, of: call)
            derive([own])
        }
        var marked: Set<Entry> = []
        let concerned = (unchanged(by: call) + patterns.flatMap { matches($0) }).filter { marked.insert($0).inserted }
        mark(concerned, patterns.first.map { .invalidated($0) } ?? .manual, .active)
        finish(call, .success(value))
        for entry in entries { foldIfUnfetched(entry) }
        endIfLanded(call)
        advance(scope: call.scope)
    }

    /// Ends a call without a result to keep.
    private mutating func end(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        leaveScope(call)
        holdShown(call)
        move(call, to: .ended(result))
        if case .failure(let error) = result, !(error is CancellationError) { take(error, of: call) }
        calls[call.number] = nil
        trash.add(call)
        derive(showing(call, dropLayers(call)))
        foldAfterDropping(call)
        finish(call, result)
        advance(scope: call.scope)
    }

    /// The last step of a call: the journal forgets it, and those who wait for it continue.
    private mutating func finish(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        callHandlers(call, result)
        if call.isDurable {
            self[call].isLeavingJournal = true
            write(.remove, call)
        } else {
            answerCallers(call, result)
        }
    }

    /// The journal has forgotten the call.
    mutating func removed(_ call: CallEntry) {
        finishWriting()
        self[call].isLeavingJournal = false
        if let result = self[call].state.result { answerCallers(call, result) }
    }

    private mutating func callHandlers(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        guard call.handlers != nil else { return }
        beginWork()
        effects.append(.callHandlers(call, result))
    }

    /// Ends a call by hand, wherever it is.
    mutating func withdraw(_ call: CallEntry, _ error: any Error = CancellationError()) {
        guard self[call].state.result == nil else { return }
        cancelAttempt(call)
        end(call, .failure(error))
        noteFirstAttempt(of: call)
        passOn(call)
    }

    private mutating func cancelAttempt(_ call: CallEntry) {
        if case .working(let attempt) = self[call].state { effects.append(.cancelCall(call, attempt: attempt)) }
        endWaits(call)
    }

    /// R24: durable calls stay in the journal for their session.
    mutating func endWithSession(_ call: CallEntry) {
        if self[call].state.result == nil {
            let result = Result<AnyValue, any Error>.failure(CancellationError())
            cancelAttempt(call)
            move(call, to: .ended(result))
            callHandlers(call, result)
            answerCallers(call, result)
        }
        for (entry, layer) in self[call].layers { self[entry].layers.removeAll { $0 === layer } }
        trash.add(self[call].layers.map(\.layer))
        self[call].layers = []
        trash.add(call)
        for (entry, _) in call.layers { updateUse(entry) }
    }

    // MARK: Scopes

    private mutating func leaveScope(_ call: CallEntry) {
        guard let scope = call.scope else { return }
        scopes[scope]?.calls.removeAll { $0 === call }
        if scopes[scope]?.calls.isEmpty == true { scopes[scope] = nil }
    }
}
