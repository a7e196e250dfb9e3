/// Refetches: which runs follow from a change, and how they end.
extension Ledger {
    /// Enters an event whose runs belong to a list.
    mutating func collecting(_ list: Refetches, _ event: (inout Ledger) -> Void) {
        refetches = list
        event(&self)
        refetches = nil
    }

    /// Called before a run of an entry is asked for: that run, or one under way that suffices, belongs to the present list.
    mutating func watch(_ entry: Entry) {
        guard let list = refetches, self[list].open.insert(entry).inserted else { return }
        var after = self[entry].lastRun
        if let run = self[entry].run, !self[run].isOutdated, !self[run].isSuperseded, run.aim == .everything {
            after = self[run].number - 1
        }
        self[entry].watches.append(Watch(list: list, after: after))
        review(entry)
        for index in self[list].waiting.indices { beginWaits(index, of: list, for: entry) }
    }

    /// A shared run has ended. If its result is refused, the next one counts.
    mutating func note(endOf run: Run, _ outcome: Run.Outcome, isRefused: Bool) {
        let entry = run.entry
        if self[entry].watches.isEmpty || isRefused || run.isPrivate || run.aim != .everything { return }
        for index in self[entry].watches.indices where self[entry].watches[index].after < self[run].number {
            if self[entry].watches[index].outcome != nil { continue }
            self[entry].watches[index].outcome = if case .failure(let error) = outcome { .failed(error) } else { .done }
        }
    }

    /// Looks at the refetches of an entry at the end of the step: its run or a delivery has ended, or waits, or a decision was made.
    mutating func review(_ entry: Entry) { if !self[entry].watches.isEmpty { reviewed.append(entry) } }

    /// The last step of each event: ends what has its outcome, once its observers have received that.
    mutating func endWatches() {
        if reviewed.isEmpty { return }
        let entries = reviewed
        reviewed = []
        for entry in entries where !self[entry].isDelivering && !self[entry].isDeciding {
            let watches = self[entry].watches
            self[entry].watches = []
            for watch in watches {
                if let outcome = watch.outcome ?? presentOutcome(watch, entry) {
                    close(watch, entry, outcome)
                } else {
                    self[entry].watches.append(watch)
                }
            }
        }
    }

    private func presentOutcome(_ watch: Watch, _ entry: Entry) -> Watch.Outcome? {
        guard let run = self[entry].run else { return .done }
        return switch self[run].phase {
        case .paused: .failed(QueryError(.networkUnavailable, path: entry.path))
        case .live: self[run].number > watch.after ? .done : nil
        case .working, .failing, .backingOff, .queued, .held: nil
        }
    }

    private mutating func close(_ watch: Watch, _ entry: Entry, _ outcome: Watch.Outcome) {
        let list = watch.list
        if case .failed(let error) = outcome { self[list].failures.append(Refetches.Failure(path: entry.path, error: error)) }
        self[list].open.remove(entry)
        signal(list)
        trash.add(list)
        trash.add(entry)
    }

    // MARK: Large changes

    mutating func beginPart(of list: Refetches?) { if let list { self[list].parts += 1 } }

    mutating func endPart(of list: Refetches?) {
        guard let list else { return }
        self[list].parts -= 1
        signal(list)
        trash.add(list)
    }

    // MARK: Waiting

    /// Waits for the end of a list.
    ///
    /// - Parameter reader: The run or the call whose code waits. Meanwhile it isn't work of its own.
    mutating func wait(
        for list: Refetches,
        _ signal: Signal,
        by reader: Scope?,
        _ continuation: UnsafeContinuation<Bool, Never>? = nil
    ) {
        guard begin(signal, continuation) else { return }
        self[list].waiting.append(Refetches.Waiting(signal: signal, reader: reader, awaited: []))
        for entry in self[list].open { beginWaits(self[list].waiting.count - 1, of: list, for: entry) }
        self.signal(list)
    }

    /// A run doesn't wait for what waits for itself.
    private mutating func beginWaits(_ index: Int, of list: Refetches, for entry: Entry) {
        guard let reader = self[list].waiting[index].reader, !waits(.entry(entry), for: reader) else { return }
        self[list].waiting[index].awaited.insert(entry)
        beginWait(of: reader, for: .entry(entry))
    }

    /// Ends a wait whose task was cancelled.
    mutating func leave(_ list: Refetches, _ signal: Signal) {
        if let index = self[list].waiting.firstIndex(where: { $0.signal === signal }) { end(self[list].waiting.remove(at: index)) }
        leave(signal)
    }

    private mutating func signal(_ list: Refetches) {
        guard self[list].parts == 0, !self[list].waiting.isEmpty else { return }
        let open = self[list].open
        let waiting = self[list].waiting
        let isOver = { (waiting: Refetches.Waiting) in
            open.isEmpty || waiting.reader != nil && open.isDisjoint(with: waiting.awaited)
        }
        self[list].waiting = waiting.filter { !isOver($0) }
        for waiting in waiting where isOver(waiting) { end(waiting) }
    }

    private mutating func end(_ waiting: Refetches.Waiting) {
        if let reader = waiting.reader { for entry in waiting.awaited { endWait(of: reader, for: .entry(entry)) } }
        end(waiting.signal)
    }
}
