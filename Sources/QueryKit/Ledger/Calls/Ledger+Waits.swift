/// Those who wait for a call, and what the code of a run or of a call waits for.
extension Ledger {
    // MARK: Waiting for a call

    /// Waits for the end of a call. It may have ended.
    ///
    /// - Parameter owns: Whether only this caller knows the call. Then the call ends if waiting for it would be a cycle.
    mutating func wait(for call: CallEntry, _ caller: Caller, owns: Bool = false) {
        if case .gone = self[caller].place { return answer(caller, .failure(CancellationError()), after: nil) }
        if let result = self[call].state.result, !self[call].isLeavingJournal { return answer(caller, result, after: nil) }
        if let reader = caller.reader, waits(.call(call), for: reader) {
            let error = QueryError(.cycle, "Calls wait for each other in a cycle.", path: call.shown?.entry.path)
            answer(caller, .failure(error), after: nil)
            if owns { withdraw(call, error) }
            return
        }
        self[caller].place = .call(call)
        self[call].callers.append(caller)
        if let reader = caller.reader { beginWait(of: reader, for: .call(call)) }
    }

    /// R7: the wait ends, and the call goes on.
    mutating func leave(_ call: CallEntry, _ caller: Caller) {
        guard let index = self[call].callers.firstIndex(where: { $0 === caller }) else { return }
        self[call].callers.remove(at: index)
        answer(caller, .failure(CancellationError()), after: nil)
    }

    /// R7: the task that has made a call is cancelled, and so is the call.
    mutating func giveUp(_ call: CallEntry, _ caller: Caller) {
        leave(caller)
        withdraw(call)
    }

    mutating func answerCallers(_ call: CallEntry, _ result: Result<AnyValue, any Error>) {
        let callers = self[call].callers
        self[call].callers = []
        for caller in callers { answer(caller, result, after: call.shown?.entry) }
    }

    // MARK: Waiting by a call

    /// What the code of a run or of a call can wait for.
    enum Awaited: Hashable, Sendable {
        case entry(Entry)
        case call(CallEntry)
    }

    /// Whether something waits for what a scope is part of, directly or through others.
    func waits(_ first: Awaited, for reader: Scope) -> Bool {
        let wanted: Awaited
        switch reader.work {
        // What is over waits for nothing, and nothing waits for it: a task may be left behind.
        case .run(let run) where isCurrent(run): wanted = .entry(run.entry)
        case .call(let call) where isWorking(call): wanted = .call(call)
        case .run, .call, .none: return false
        }
        var open = [first]
        var seen: Set<Awaited> = [first]
        while let next = open.popLast() {
            if next == wanted { return true }
            for awaited in awaited(by: next) where seen.insert(awaited).inserted { open.append(awaited) }
        }
        return false
    }

    func awaited(by waiting: Awaited) -> [Awaited] {
        switch waiting {
        case .entry(let entry):
            var runs = self[entry].privateRuns
            if let run = self[entry].run { runs.append(run) }
            return runs.flatMap { run in self[run].awaited.map { .entry($0) } + self[run].awaitedCalls.map { .call($0) } }
        case .call(let call):
            let own: [Awaited] = self[call].awaited.map { .entry($0) } + self[call].awaitedCalls.map { .call($0) }
            // It begins after those before it.
            guard case .queued = self[call].state, let queue = call.scope.flatMap({ scopes[$0] })?.calls else { return own }
            return own + queue.prefix { $0 !== call }.map { .call($0) }
        }
    }

    mutating func beginWait(of reader: Scope, for awaited: Awaited) {
        letPass(awaited, for: reader)
        switch reader.work {
        case .run(let run):
            guard isCurrent(run) else { return }
            switch awaited {
            case .entry(let entry): self[run].awaited.append(entry)
            case .call(let call): self[run].awaitedCalls.append(call)
            }
            countWait(of: run)
        case .call(let call):
            guard isWorking(call) else { return }
            switch awaited {
            case .entry(let entry): self[call].awaited.append(entry)
            case .call(let other): self[call].awaitedCalls.append(other)
            }
            self[call].waits += 1
            if self[call].waits == 1 { endWork() }
        case .none: break
        }
    }

    mutating func endWait(of reader: Scope, for awaited: Awaited) {
        switch reader.work {
        case .run(let run):
            guard isCurrent(run) else { return }
            switch awaited {
            case .entry(let entry): if !removeFirst(entry, from: &self[run].awaited) { return }
            case .call(let call): if !removeFirst(call, from: &self[run].awaitedCalls) { return }
            }
            uncountWait(of: run)
        case .call(let call):
            switch awaited {
            case .entry(let entry): if !removeFirst(entry, from: &self[call].awaited) { return }
            case .call(let other): if !removeFirst(other, from: &self[call].awaitedCalls) { return }
            }
            self[call].waits -= 1
            if self[call].waits == 0, isWorking(call) { beginWork() }
        case .none: break
        }
    }

    private func removeFirst<Object: AnyObject>(_ object: Object, from objects: inout [Object]) -> Bool {
        guard let index = objects.firstIndex(where: { $0 === object }) else { return false }
        objects.remove(at: index)
        return true
    }

    func isWorking(_ call: CallEntry) -> Bool { if case .working = self[call].state { true } else { false } }

    /// What the code of an attempt still waits for doesn't count any more.
    mutating func endWaits(_ call: CallEntry) {
        if self[call].waits > 0, isWorking(call) { beginWork() }
        self[call].waits = 0
        trash.add(self[call].awaited)
        trash.add(self[call].awaitedCalls)
        (self[call].awaited, self[call].awaitedCalls) = ([], [])
    }
}
