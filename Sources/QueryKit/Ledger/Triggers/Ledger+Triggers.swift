/// Triggers: events that ask for fresh values (R20, R31).
extension Ledger {
    // MARK: Observers

    /// Begins the triggers of an observer by its present settings, in place of earlier ones, or ends them.
    mutating func updateTriggers(_ entry: Entry, _ observer: Observer) {
        let settings = self[observer].settings
        let isOver = self[observer].isOver || settings.session != epoch
        let former = self[observer].triggers
        if former == nil, isOver || settings.triggers.isEmpty || !observer.observes { return }
        let new = isOver ? nil : ActiveTriggers(.observer(entry, observer), settings.triggers, settings.app?.context)
        self[observer].triggers = new
        if let new { effects.append(.beginTriggers(new)) }
        if let former { end(former) }
        if self[entry].triggered?.observer == ObjectIdentifier(observer) { self[entry].triggered = nil }
        updatePolling(entry)
    }

    private mutating func end(_ active: ActiveTriggers) {
        self[active].isOver = true
        effects.append(.endTriggers(active))
        trash.add(active)
    }

    /// A trigger has fired.
    mutating func fire(_ active: ActiveTriggers, _ name: String, isLate: Bool = false) {
        if self[active].isOver { return }
        switch active.subject {
        case .observer(let entry, let observer):
            if !answersTriggers(entry), takeTurn(active, name) { act(entry, observer, .trigger(name)) }
        case .invalidation(let patterns): invalidate(patterns, .trigger(name), mayFollow: takeTurn(active, name), isLate: isLate)
        }
    }

    private mutating func takeTurn(_ active: ActiveTriggers, _ name: String) -> Bool {
        guard self[active].take(name, at: now) != nil else { return false }
        schedule(.pause(active), after: TriggerTurn.pause)
        return true
    }

    mutating func endPause(_ active: ActiveTriggers) {
        trash.add(active)
        if let missed = self[active].end() { fire(active, missed, isLate: true) }
    }

    /// Starts a run if the value is stale by the settings of the observer. One event may fire the triggers of several observers: the run of
    /// the first one answers the others, too, even if it is over by then.
    private mutating func act(_ entry: Entry, _ observer: Observer, _ cause: QueryCause) {
        guard !isFresh(entry, self[observer].settings.ttl) || isClosed(entry) else { return }
        let id = ObjectIdentifier(observer)
        if let last = self[entry].triggered, last.answers(cause, of: id, at: now), self[entry].marked <= last.change { return }
        self[entry].triggered = Entry.TriggeredRun(cause: cause, observer: id, time: now, change: change)
        want(entry, cause)
    }

    // MARK: Polling

    /// Of several observers that poll, the shortest interval counts.
    private mutating func updatePolling(_ entry: Entry) {
        let former = self[entry].polling
        let polling = pollers(of: entry).map(\.polling).min { $0.interval < $1.interval }
        guard polling?.interval != former?.interval else { return }
        self[entry].polling = polling
        self[entry].pollingNumber &+= 1
        schedulePolling(entry)
    }

    private func pollers(of entry: Entry) -> [(active: ActiveTriggers, polling: Polling)] {
        self[entry].observers.compactMap { observer in
            guard let active = self[observer].triggers, let polling = Polling(active.triggers) else { return nil }
            return (active, polling)
        }
    }

    private mutating func schedulePolling(_ entry: Entry) {
        guard let polling = self[entry].polling else { return }
        schedule(.polling(entry, self[entry].pollingNumber), after: polling.rest(at: now))
    }

    mutating func poll(_ entry: Entry, _ number: Int) {
        trash.add(entry)
        guard self[entry].pollingNumber == number, let polling = self[entry].polling else { return }
        schedulePolling(entry)
        let poller = pollers(of: entry).first { $0.polling.interval == polling.interval }
        if let poller { fire(poller.active, polling.name) }
    }

    // MARK: Invalidations that repeat themselves

    mutating func beginStanding(_ active: ActiveTriggers) {
        // It may have ended before it has begun.
        if self[active].isOver { return }
        standing.append(active)
        effects.append(.beginTriggers(active))
    }

    mutating func endStanding(_ active: ActiveTriggers) {
        standing.removeAll { $0 === active }
        // What it has marked during its pause would stay stale.
        if let missed = self[active].end(), case .invalidation(let patterns) = active.subject {
            invalidate(patterns, .trigger(missed), mayFollow: true, isLate: true)
        }
        end(active)
    }

    /// The client ends, and so do its sources, although a handle may keep the engine.
    mutating func endAllStanding() {
        for active in standing { end(active) }
        standing = []
    }

    /// During the pause entries are marked, and are fetched again when it is over.
    private mutating func invalidate(_ patterns: [QueryPattern], _ cause: QueryCause, mayFollow: Bool, isLate: Bool) {
        var seen: Set<Entry> = []
        let entries = patterns.flatMap { matches($0) }.filter { seen.insert($0).inserted }
        if isLate, mayFollow { return follow(entries.filter { self[$0].isInvalidated }, cause, .active) }
        if !isLate { mark(entries, cause, mayFollow ? .active : .none) }
    }

    // MARK: Triggers of the client

    /// What happens to all observed entries when the app becomes active, or the network is back.
    struct DefaultTriggers: Sendable {
        var coversReconnect = false
        fileprivate(set) var turn = TriggerTurn()
        /// The entries for which one has fired during the pause.
        fileprivate(set) var missed: [Following] = []
    }

    /// R31: each observed entry that is stale by the settings of one of its observers is fetched again, unless it has been since.
    mutating func fireDefault(_ name: String) {
        change = change.next
        // A run that is paused continues in this step. It answers the trigger, but may be over when a large change is followed.
        let entries = live.filter { self[$0].isObserved && !answersTriggers($0) }
        let following = Following(entries, .trigger(name), after: change)
        guard defaults.turn.take(name, at: now) != nil else { return defaults.missed.append(following) }
        schedule(.defaultPause, after: TriggerTurn.pause)
        follow(following)
    }

    mutating func endDefaultPause() {
        guard let name = defaults.turn.end() else { return }
        _ = defaults.turn.take(name, at: now)
        schedule(.defaultPause, after: TriggerTurn.pause)
        for following in endMissed() { follow(following) }
    }

    private mutating func follow(_ following: Following) {
        guard let number = following.trigger else { return }
        if following.entries.count > limits.part || !followers.isEmpty { return followLater(following) }
        for entry in following.entries where isListed(entry) { followTrigger(entry, following.cause, after: number) }
        trash.add(following)
    }

    private mutating func endMissed() -> [Following] {
        defer { defaults.missed = [] }
        return defaults.missed
    }

    /// The session that ends has fired them.
    mutating func forgetMissed() {
        trash.add(defaults.missed)
        defaults.missed = []
        defaults.turn = TriggerTurn()
    }

    mutating func followTrigger(_ entry: Entry, _ cause: QueryCause, after number: ChangeNumber) {
        guard self[entry].isObserved, !answersTriggers(entry), self[entry].asOf < number else { return }
        guard observerSettings(entry).contains(where: { !isFresh(entry, $0.ttl) }) || isClosed(entry) else { return }
        want(entry, cause)
    }

    /// The network is back, and paused runs have continued.
    mutating func fireReconnect() {
        let name = QueryTrigger.reconnect.name
        for active in standing where active.followReconnect { fire(active, name) }
        if defaults.coversReconnect { return fireDefault(name) }
        for entry in live {
            for observer in self[entry].observers {
                if let active = self[observer].triggers, active.followReconnect { fire(active, name) }
            }
        }
    }
}
