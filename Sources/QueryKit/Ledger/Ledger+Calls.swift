/// Calls of mutations: their layers, their turn, their journal, and how failures pass.
extension Ledger {
    /// The calls of one scope, which run one after the other in the order in which they were made.
    struct Queue: Sendable { var calls: [CallEntry] = [] }

    mutating func nextCall() -> UInt64 {
        lastCall += 1
        return lastCall
    }

    // MARK: Beginning

    /// Shows the layers of a call in one step, and lets the call wait for its turn.
    mutating func submit(_ call: CallEntry, _ caller: Caller?) {
        guard enter(call, caller) else { return }
        derive(lay(call))
        start(call)
    }

    /// Returns false if the caller has left already.
    mutating func enter(_ call: CallEntry, _ caller: Caller?) -> Bool {
        if let caller, case .gone = self[caller].place {
            answer(caller, .failure(CancellationError()), after: nil)
            return false
        }
        calls[call.number] = call
        if let caller { self[call].callers.append(caller) }
        return true
    }

    mutating func start(_ call: CallEntry) {
        if let scope = call.scope { scopes[scope, default: Queue()].calls.append(call) }
        if call.isDurable {
            self[call].state = .writing
            beginWork()
            effects.append(.append(call))
        } else {
            self[call].state = .queued
            advance(call)
        }
    }

    /// Returns the entries that must show the layers.
    mutating func lay(_ call: CallEntry) -> [Entry] {
        for (entry, apply) in call.layers {
            let layer = Layer(call, apply)
            self[entry].layers.append(layer)
            self[call].layers.append((entry, layer))
            updateUse(entry)
        }
        return withLayers(call.layers.map(\.entry))
    }

    private mutating func withLayers(_ entries: [Entry]) -> [Entry] {
        var known: Set<Entry> = []
        let entries = entries.filter { known.insert($0).inserted && isListed($0) }
        for entry in entries { holdRecord(entry) }
        for entry in entries { self[entry].record.cause = .optimistic }
        return entries
    }

    /// The journal has the call, so that it may begin; or it can't be written.
    mutating func journaled(_ call: CallEntry, _ failure: (any Error)?) {
        endWork()
        if self[call].isWritingInVain { return forgetInJournal(call) }
        guard case .writing = self[call].state else { return }
        self[call].state = .queued
        if let failure { end(call, .failure(failure)) } else { advance(call) }
    }

    /// The journal has forgotten the call.
    mutating func removed(_ call: CallEntry) { endWork() }

    /// Begins a call if it is its turn.
    private mutating func advance(_ call: CallEntry) {
        guard case .queued = self[call].state else { return }
        if let scope = call.scope, scopes[scope]?.calls.first !== call { return }
        if network.isOffline, call.networkMode == .online { self[call].state = .paused } else { begin(call) }
    }

    private mutating func advance(scope: String?) {
        guard let scope, let next = scopes[scope]?.calls.first else { return }
        advance(next)
    }

    private mutating func begin(_ call: CallEntry) {
        self[call].attempts += 1
        self[call].state = .working(attempt: self[call].attempts)
        beginWork()
        effects.append(.begin(call, attempt: self[call].attempts))
    }

    // MARK: Ending

    /// An attempt of a call has ended.
    mutating func callEnded(_ call: CallEntry, attempt: Int, _ result: Result<AnyValue, any Error>, _ verdict: CallEntry.Verdict = .refused)
    {
        guard case .working(let current) = self[call].state, current == attempt else { return }
        endWork()
        switch result {
        case .success(let value): succeed(call, value)
        case .failure(let error):
            switch verdict {
            case .refused: end(call, result)
            case .passing(let delay, let counts): pass(call, error, after: delay, counts: counts)
            case .whenOnline(let delay):
                guard network.isOffline else { return pass(call, error, after: delay, counts: false) }
                self[call].state = .paused
            }
        }
        noteFirstAttempt(of: call)
    }

    /// R35: a failure that passes keeps the call, its layers, its key and its place. After too many that count, it is set aside.
    private mutating func pass(_ call: CallEntry, _ error: any Error, after delay: Nanoseconds, counts: Bool) {
        if counts { self[call].failures += 1 }
        answerCallers(call, .failure(error))
        guard call.isDurable, self[call].failures < limits.failures else {
            guard call.isDurable else { return end(call, .failure(error)) }
            self[call].state = .stuck(error)
            leaveScope(call)
            dropLayers(call)
            return
        }
        self[call].state = .waiting(until: now.later(by: delay))
        schedule(.call(call, self[call].attempts), after: delay)
    }

    mutating func repeatCall(_ call: CallEntry, afterAttempts attempts: Int) {
        guard case .waiting = self[call].state, self[call].attempts == attempts else { return }
        if network.isOffline, call.networkMode != .always { self[call].state = .paused } else { begin(call) }
    }

    /// Continues a call that waits for the network; returns false if it doesn't.
    mutating func resume(_ call: CallEntry) -> Bool {
        switch self[call].state {
        case .paused, .waiting: begin(call)
        case .writing, .queued, .working, .stuck, .landing, .ended: return false
        }
        return true
    }

    /// A call that was set aside is tried again, after the others of its scope.
    mutating func retry(_ call: CallEntry) {
        guard case .stuck = self[call].state else { return }
        self[call].failures = 0
        self[call].state = .queued
        derive(lay(call))
        if let scope = call.scope { scopes[scope, default: Queue()].calls.append(call) }
        advance(call)
    }

    /// Its layers stay until the entries have seen what it has done, or won't be fetched again (R22).
    private mutating func succeed(_ call: CallEntry, _ value: AnyValue) {
        leaveScope(call)
        forgetInJournal(call)
        let entries = self[call].layers.map(\.entry)
        self[call].commit = change.next
        self[call].state = .landing
        var marked: Set<Entry> = []
        let concerned = call.invalidates.flatMap { matches($0) }.filter { marked.insert($0).inserted }
        mark(concerned, call.invalidates.first.map { .invalidated($0) } ?? .manual, .active)
        answerCallers(call, .success(value))
        for entry in entries { foldIfUnfetched(entry) }
        endIfLanded(call)
        advance(scope: call.scope)
    }

    /// Ends a call without a result to keep.
    private mutating func end(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        if case .working = self[call].state { effects.append(.cancelCall(call, attempt: self[call].attempts)) }
        leaveScope(call)
        // Writing and forgetting are two tasks, so the second begins only after the first.
        if case .writing = self[call].state { self[call].isWritingInVain = true } else { forgetInJournal(call) }
        self[call].state = .ended
        calls[call.number] = nil
        trash.add(call)
        dropLayers(call)
        answerCallers(call, result)
        advance(scope: call.scope)
    }

    /// Ends a call by hand, wherever it is.
    mutating func withdraw(_ call: CallEntry) {
        switch self[call].state {
        case .ended, .landing: return
        case .working: endWork()
        case .writing, .queued, .paused, .waiting, .stuck: break
        }
        end(call, .failure(CancellationError()))
        noteFirstAttempt(of: call)
    }

    mutating func endWithSession(_ call: CallEntry) {
        if case .working = self[call].state {
            endWork()
            effects.append(.cancelCall(call, attempt: self[call].attempts))
        }
        answerCallers(call, .failure(CancellationError()))
        for (entry, layer) in self[call].layers { self[entry].layers.removeAll { $0 === layer } }
        trash.add(self[call].layers.map(\.layer))
        self[call].layers = []
        self[call].state = .ended
        trash.add(call)
        for (entry, _) in call.layers { updateUse(entry) }
    }

    /// R7: a caller leaves at once. A call that isn't durable ends with its last caller.
    mutating func leave(_ call: CallEntry, _ caller: Caller) {
        guard let index = self[call].callers.firstIndex(where: { $0 === caller }) else {
            if case .none = self[caller].place { self[caller].place = .gone }
            return
        }
        self[call].callers.remove(at: index)
        answer(caller, .failure(CancellationError()), after: nil)
        if !call.isDurable, self[call].callers.isEmpty { withdraw(call) }
    }

    private mutating func forgetInJournal(_ call: CallEntry) {
        guard call.isDurable else { return }
        beginWork()
        effects.append(.remove(call))
    }

    private mutating func leaveScope(_ call: CallEntry) {
        guard let scope = call.scope else { return }
        scopes[scope]?.calls.removeAll { $0 === call }
        if scopes[scope]?.calls.isEmpty == true { scopes[scope] = nil }
    }

    private mutating func answerCallers(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        for caller in self[call].callers { answer(caller, result, after: nil) }
        self[call].callers = []
    }

    // MARK: Layers

    private mutating func dropLayers(_ call: CallEntry) {
        let layers = self[call].layers
        self[call].layers = []
        for (entry, layer) in layers {
            self[entry].layers.removeAll { $0 === layer }
            trash.add(layer)
            updateUse(entry)
        }
        derive(withLayers(layers.map(\.entry)))
        for (entry, _) in layers { foldIfUnfetched(entry) }
    }

    /// An entry has lost a layer of a call that has succeeded.
    mutating func noteRemoval(of layer: Layer, from entry: Entry, of call: CallEntry) {
        self[call].layers.removeAll { $0.layer === layer }
        endIfLanded(call)
    }

    private mutating func endIfLanded(_ call: CallEntry) {
        guard case .landing = self[call].state, self[call].layers.isEmpty else { return }
        self[call].state = .ended
        calls[call.number] = nil
        trash.add(call)
    }

    /// If no run will replace the value, the lowest layers whose calls have succeeded become part of it.
    mutating func foldIfUnfetched(_ entry: Entry) {
        if self[entry].isInvalidated && self[entry].isObserved { return }
        dropLanded(entry)
    }

    /// A request that is disabled won't be fetched, so the layers of calls that have succeeded become part of its value. An open stream
    /// isn't fetched either; its next element replaces the value.
    mutating func dropLanded(_ entry: Entry) { if self[entry].run == nil || isLive(entry) { fold(entry) } }

    private mutating func fold(_ entry: Entry) {
        let landed = self[entry].layers.prefix { layer in layer.owner.map { isLanding($0) } ?? true }
        if landed.isEmpty { return }
        holdRecord(entry)
        if self[entry].base != nil { for layer in Array(landed) { self[entry].updates.append(Layer(nil, layer.apply)) } }
        removeLayers(entry, Array(landed))
        derive([entry])
    }

    private func isLanding(_ call: CallEntry) -> Bool { if case .landing = self[call].state { true } else { false } }
}
