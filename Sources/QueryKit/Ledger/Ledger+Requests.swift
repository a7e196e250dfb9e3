/// Callers and observers: what they want, and how they leave.
extension Ledger {
    // MARK: Freshness

    /// R13: whether the latest result is a success that is younger than the time to live, and no change has concerned it since.
    func isFresh(_ entry: Entry, _ ttl: Nanoseconds) -> Bool {
        let record = self[entry].record
        guard record.flags.contains(.succeeded), record.flags.isDisjoint(with: [.partial, .simulatedStaleness]) else { return false }
        if self[entry].isInvalidated { return false }
        if ttl == .infinity || isLive(entry) { return true }
        return record.valueTime.instant.later(by: ttl) > now
    }

    func isLive(_ entry: Entry) -> Bool { if let run = self[entry].run { self[run].phase == .live } else { false } }

    /// Whether the library has closed the stream of an entry, or never opened it. Its value may miss elements, so an observer opens it.
    func isClosed(_ entry: Entry) -> Bool { self[entry].run == nil && !self[entry].isFinal && runSettings(entry)?.isStream == true }

    /// The value, if it is fresh, for a caller or a run.
    mutating func freshValue(_ entry: Entry, _ ttl: Nanoseconds, for reader: Scope?) -> AnyValue? {
        guard let base = freshBase(entry, ttl) else { return nil }
        if let reader { takeOver(entry, reader) }
        return base
    }

    private func freshBase(_ entry: Entry, _ ttl: Nanoseconds) -> AnyValue? {
        // While code of the app computes an update, the base is older than it.
        self[entry].updates.isEmpty && isFresh(entry, ttl) ? self[entry].base : nil
    }

    // MARK: Callers

    /// - Parameter ttl: How long the value is fresh by the settings of the caller.
    mutating func fetch(_ entry: Entry, _ caller: Caller, ttl: Nanoseconds) {
        if case .gone = self[caller].place { return answer(caller, .failure(CancellationError()), after: nil) }
        use(entry, caller.settings)
        if caller.takesFresh || isLive(entry), caller.aim == .everything, let value = freshBase(entry, ttl) {
            handOver(entry, to: caller)
            return answer(caller, .success(value), after: entry)
        }
        if let reader = caller.reader, waits(.entry(entry), for: reader) {
            return answer(caller, .failure(cycle(at: entry)), after: nil)
        }
        noteCaller(entry, caller.settings)
        if let reader = caller.reader { beginWait(of: reader, for: .entry(entry)) }
        guard caller.settings.isDeduplicated else {
            let start = Run.Start(cause: .manual, aim: caller.aim, isByLibrary: false, isPrivate: true)
            return begin(entry, caller.settingsOfRun, start, [caller])
        }
        guard let run = self[entry].run else {
            let start = Run.Start(cause: caller.aim.cause, aim: caller.aim, isByLibrary: false)
            return begin(entry, caller.settingsOfRun, start, [caller])
        }
        join(run, caller)
    }

    func cycle(at entry: Entry) -> QueryError { QueryError(.cycle, "Requests wait for each other in a cycle.", path: entry.path) }

    private mutating func join(_ run: Run, _ caller: Caller) {
        // An open stream has no fresh value for the caller, and may bring none.
        let isLive = self[run].phase == .live
        let isTooLate = isLive || self[run].isSuperseded || missesChange(run) || run.aim != caller.aim
        add(caller, to: isTooLate ? .nextRun(run) : .run(run))
        if isLive { restart(run.entry, .manual) }
    }

    /// Whether a run, or one that it awaits, may not have seen a change.
    private func missesChange(_ run: Run) -> Bool {
        if self[run].isOutdated { return true }
        return self[run].awaited.contains { entry in
            self[entry].run.map { missesChange($0) } == true || self[entry].privateRuns.contains { missesChange($0) }
        }
    }

    /// R7: the caller leaves at once, and its run ends if nothing else wants it.
    mutating func leave(_ caller: Caller, _ error: any Error = CancellationError()) {
        switch self[caller].place {
        case .none: self[caller].place = .gone
        case .gone, .answered: return
        case .delivery:
            self[caller].place = .answered
            effects.append(.resume(caller, self[caller].continuation, .failure(error)))
        case .run(let run), .nextRun(let run):
            remove(caller)
            leave(run, caller, error)
        case .call(let call): leave(call, caller)
        }
    }

    private mutating func leave(_ run: Run, _ caller: Caller, _ error: any Error) {
        // It depends on what the run has read so far: its own fetch may fail because its time is over.
        handOver(run, to: caller)
        answer(caller, .failure(error), after: nil)
        if !run.isPrivate { return abandon(run.entry) }
        stop(run)
        publish(run.entry)
    }

    /// Ends the run of an entry that has neither callers nor observers.
    mutating func abandon(_ entry: Entry) {
        guard let run = self[entry].run, self[run].callers.isEmpty, !self[entry].isObserved, run.settings.abandonment == .cancel else {
            return
        }
        let (next, trailing) = (self[run].nextCallers, self[run].trailing)
        stop(run)
        // Callers that came too late don't have to wait for its end.
        if let first = next.first {
            begin(entry, first.settings, Run.Start(cause: trailing ?? .manual, aim: first.aim, isByLibrary: false), next)
        } else {
            publish(entry)
            foldIfUnfetched(entry)
        }
    }

    // MARK: Observers

    /// Returns the first state for the handler of the observer. Later ones follow when it has received that; see ``catchUp(_:)``.
    ///
    /// - Parameter ttl: How long the value is fresh by the settings of the observer.
    mutating func subscribe(_ entry: Entry, _ observer: Observer, ttl: Nanoseconds) -> StateBox {
        let first = self[entry].lastPublished ?? state(entry)
        self[entry].lastPublished = first
        if observer.observes, !self[entry].isObserved { self[entry].retention = nil }
        let settings = self[observer].settings
        use(entry, settings)
        self[observer].older = self[entry].deliveries.count
        self[entry].observers.append(observer)
        updateUse(entry)
        guard observer.observes else { return first }
        updateTriggers(entry, observer)
        if settings.isConsistent, let run = self[entry].run, self[run].outcome == nil { enterRound(run) }
        if !isFresh(entry, ttl) || isClosed(entry) { want(entry, self[entry].record.hasResult ? .stale : .subscribed, for: [settings]) }
        return first
    }

    /// The next state that an observer has missed while its handler received an earlier one; `nil` if it has missed none.
    mutating func catchUp(_ observer: Observer) -> Publication? {
        guard !self[observer].missed.isEmpty else {
            self[observer].isReady = true
            return nil
        }
        return self[observer].missed.removeFirst()
    }

    mutating func unsubscribe(_ entry: Entry, _ observer: Observer) {
        guard let index = self[entry].observers.firstIndex(where: { $0 === observer }) else { return }
        trash.add(self[entry].observers.remove(at: index))
        self[observer].isOver = true
        updateTriggers(entry, observer)
        guard observer.observes else { return updateUse(entry) }
        if !self[entry].isObserved {
            abandon(entry)
            foldIfUnfetched(entry)
        }
        updateUse(entry)
    }

    /// Makes an entry remember the settings that count until it is forgotten (R30).
    mutating func use(_ entry: Entry, _ settings: Settings) {
        if let retention = settings.retention { self[entry].retention = max(retention, self[entry].retention ?? retention) }
        updateClaim(entry)
        if isListed(entry) { for tag in settings.tags { self[tables].tags.enter(tag.region, slot: self[entry].slot, run: 0) } }
    }

    private mutating func noteCaller(_ entry: Entry, _ settings: Settings) {
        let settings = settings.kept
        guard self[entry].caller !== settings else { return }
        trash.add(self[entry].caller)
        self[entry].caller = settings
    }

    // MARK: Runs that the library starts

    /// The settings of a run that the library starts: those of the latest observer, or of the latest caller; if there was none, those
    /// that the entry was written with.
    func runSettings(_ entry: Entry) -> Settings? { observerSettings(entry).last ?? unobservedSettings(entry) }

    private func unobservedSettings(_ entry: Entry) -> Settings? { self[entry].caller ?? self[entry].known }

    /// The settings of those that want the library to run the request. When a session begins, they get others before they want it again.
    func observerSettings(_ entry: Entry) -> [Settings] {
        self[entry].observers.compactMap { observer in
            observer.observes && self[observer].settings.session == epoch ? self[observer].settings : nil
        }
    }

    /// Starts a run if one of the settings allows it. Conditions are code of the app; a later question replaces an earlier one.
    mutating func want(_ entry: Entry, _ cause: QueryCause, for settings: [Settings]? = nil) {
        let wanting = settings ?? observerSettings(entry)
        let deciding = wanting.isEmpty ? unobservedSettings(entry).map { [$0] } ?? [] : wanting
        guard deciding.allSatisfy(\.isConditional), !deciding.isEmpty else { return refresh(entry, cause) }
        self[entry].decision &+= 1
        self[entry].isDeciding = true
        ask(Question(entry, .conditions(deciding, cause), self[entry].decision))
    }

    /// Starts a run that no caller waits for. A run under way suffices, unless it is too old; then another one follows.
    mutating func refresh(_ entry: Entry, _ cause: QueryCause) {
        guard let run = self[entry].run else {
            guard let settings = runSettings(entry) else { return }
            return begin(entry, settings, Run.Start(cause: cause), [])
        }
        guard self[run].isOutdated || self[run].isSuperseded || run.aim != .everything else { return }
        if self[run].phase == .live { return restart(entry, cause) }
        self[run].trailing = self[run].trailing ?? cause
    }

    /// Whether a run under way, or the one that follows it, brings what a trigger asks for.
    func answersTriggers(_ entry: Entry) -> Bool {
        guard let run = self[entry].run else { return false }
        return !self[run].isOutdated && !self[run].isSuperseded && run.aim == .everything || self[run].trailing != nil
    }

    /// Asks the conditions again, for observers without a fresh value.
    mutating func reconsider(_ pattern: QueryPattern) {
        for entry in matches(pattern) where self[entry].isObserved && self[entry].run == nil {
            if !self[entry].record.flags.contains(.succeeded) || self[entry].isInvalidated || isClosed(entry) {
                want(entry, self[entry].record.hasResult ? .stale : .subscribed)
            }
        }
    }

    // MARK: Nested fetches

    mutating func countWait(of reader: Run) {
        self[reader].waits += 1
        if self[reader].waits == 1, counts(self[reader].phase) { endWork() }
    }

    mutating func uncountWait(of reader: Run) {
        self[reader].waits -= 1
        if self[reader].waits == 0, counts(self[reader].phase) { beginWork() }
    }

    // MARK: Answers

    /// Resumes a caller, if it waits for deliveries of an entry after these.
    mutating func answer(_ caller: Caller, _ result: Result<AnyValue, any Error>, after entry: Entry?) {
        switch self[caller].place {
        case .run(let run), .nextRun(let run): if let reader = caller.reader { endWait(of: reader, for: .entry(run.entry)) }
        case .call(let call): if let reader = caller.reader { endWait(of: reader, for: .call(call)) }
        case .none, .gone, .delivery, .answered: break
        }
        if let entry, self[entry].isDelivering {
            self[caller].place = .delivery(result)
            if self[entry].deliveries.isEmpty {
                self[entry].deliveries.append(Publication(state: state(entry), changes: [], callers: [caller]))
            } else {
                self[entry].deliveries[self[entry].deliveries.count - 1].callers.append(caller)
            }
        } else {
            self[caller].place = .answered
            effects.append(.resume(caller, self[caller].continuation, result))
        }
    }
}
