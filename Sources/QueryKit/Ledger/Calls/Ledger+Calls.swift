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
        resumption?.known.insert(call.id)
        enqueue(call)
        if call.isDurable, !call.isResumed {
            move(call, to: .writing)
            write(.append, call)
        } else {
            if call.isDurable { lease(call) }
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
        case .asking, .working, .paused, .waiting, .stuck, .landing, .ended: false
        }
    }

    /// The journal has the call, so that it may begin; or it can't be written.
    mutating func journaled(_ call: CallEntry, _ failure: (any Error)?) {
        finishWriting()
        for signal in self[call].writers { end(signal) }
        self[call].writers = []
        if failure == nil { lease(call) }
        guard case .writing = self[call].state else { return }
        move(call, to: .queued)
        if let failure { end(call, .failure(failure)) } else if advance(call) { show(call) }
    }

    /// Begins a call if it is its turn.
    mutating func advance(_ call: CallEntry) -> Bool {
        guard case .queued = self[call].state else { return false }
        if let scope = call.scope, scopes[scope]?.calls.first !== call || resumption != nil && !call.isResumed { return false }
        if network.isOffline, call.networkMode == .online { move(call, to: .paused) } else { begin(call) }
        return true
    }

    mutating func advance(scope: String?) {
        if let scope, let next = scopes[scope]?.calls.first, advance(next) { show(next) }
    }

    private mutating func begin(_ call: CallEntry) {
        self[call].attempts += 1
        if call.isShared {
            move(call, to: .asking(attempt: self[call].attempts))
            effects.append(.askTurn(call, attempt: self[call].attempts))
        } else {
            work(call)
        }
    }

    /// Begins the code of an attempt.
    mutating func work(_ call: CallEntry) {
        let attempt = self[call].attempts
        self[call].hasBegun = true
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
            self[call].trials.retries += 1
            repeatLater(call, error, after: delay)
        case .repeats(let help):
            self[call].trials.helps.insert(help)
            repeatLater(call, error, after: .zero)
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
        case .writing, .queued, .asking, .working, .stuck, .landing, .ended: return false
        }
        show(call)
        return true
    }

    /// A call that was set aside is tried again, after the others of its scope.
    mutating func retry(_ call: CallEntry) {
        guard case .stuck = self[call].state else { return }
        (self[call].failures, self[call].trials) = (0, Run.Trials())
        let entries = lay(call)
        list(call)
        move(call, to: .queued)
        enqueue(call)
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

    // MARK: Scopes

    /// A call waits behind those of its scope; a resumed one before those that were made later, if none of them has begun (R24).
    private mutating func enqueue(_ call: CallEntry) {
        guard let scope = call.scope else { return }
        let calls = scopes[scope, default: Queue()].calls
        func isBefore(_ other: CallEntry) -> Bool {
            hasMadeAttempt(other) || other.date < call.date || other.isResumed && other.date == call.date
        }
        let index = call.isResumed ? calls.lastIndex(where: isBefore).map { $0 + 1 } ?? 0 : calls.count
        scopes[scope, default: Queue()].calls.insert(call, at: index)
        // The first one has been waiting for the network.
        if index == 0, let former = calls.first, case .paused = self[former].state { move(former, to: .queued) }
    }

    /// Whether a call can't be overtaken any more.
    private func hasMadeAttempt(_ call: CallEntry) -> Bool {
        if self[call].hasBegun { return true }
        switch self[call].state {
        case .asking, .working, .waiting: return true
        case .writing, .queued, .paused, .stuck, .landing, .ended: return false
        }
    }

    mutating func leaveScope(_ call: CallEntry) {
        guard let scope = call.scope else { return }
        scopes[scope]?.calls.removeAll { $0 === call }
        if scopes[scope]?.calls.isEmpty == true { scopes[scope] = nil }
    }
}
