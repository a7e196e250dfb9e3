/// The deadlines of a client and their timer, and the release of stores whose retention has ended or that exceed a budget.
extension ClientCore {
    // MARK: Deadlines

    func schedule(at deadline: QueryInstant, on clock: any QueryClock, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        guard deadline < .never else { return QueryAlarm {} }
        guard isClock(clock) else { return clock.schedule(at: deadline, action) }
        let number = state.withLock { state in
            state.nextAction += 1
            state.actions[state.nextAction] = action
            state.alarms.insert(state.nextAction, at: deadline)
            return state.nextAction
        }
        arm()
        return QueryAlarm { [weak self] in self?.cancelAction(number) }
    }

    private func cancelAction(_ number: Int) {
        // Release the action outside the lock.
        _ = state.withLock { state -> (@Sendable () -> Void)? in
            let action = state.actions.removeValue(forKey: number)
            if action != nil { state.noteObsoleteDeadline() }
            return action
        }
    }

    /// Sets the timer for the earliest deadline.
    func arm() {
        let (deadline, obsolete) = state.withLock { state -> (QueryInstant?, QueryAlarm?) in
            guard let earliest = state.earliestDeadline, earliest < state.armed ?? .never else { return (nil, nil) }
            state.armed = earliest
            defer { state.alarm = nil }
            return (earliest, state.alarm)
        }
        obsolete?.cancel()
        guard let deadline else { return }
        let alarm = clock.schedule(at: deadline) { [weak self] in self?.fire(deadline) }
        let isObsolete = state.withLock { state in
            if state.armed != deadline { return true }
            state.alarm = alarm
            return false
        }
        if isObsolete { alarm.cancel() }
    }

    private func fire(_ deadline: QueryInstant) {
        let now = clock.now
        // Release the alarm outside the lock, too: it comes from the clock, which may be foreign code.
        let (actions, expired, alarm) = state.withLock { state -> ([@Sendable () -> Void], [StoreCore], QueryAlarm?) in
            var alarm: QueryAlarm?
            if state.armed == deadline {
                state.armed = nil
                swap(&alarm, &state.alarm)
            }
            var actions: [@Sendable () -> Void] = []
            var expired: [StoreCore] = []
            while let (_, number) = state.alarms.popDue(at: now) {
                if let action = state.actions.removeValue(forKey: number) { actions.append(action) }
            }
            while let (deadline, ticket) = state.retentions.popDue(at: now) {
                switch state.registry.examine(ticket, entry: deadline, now: now) {
                case .nothing: break
                case .later(let instant): state.retentions.insert(ticket, at: instant)
                case .expired(let store): expired.append(store)
                }
            }
            return (actions, expired, alarm)
        }
        withExtendedLifetime(alarm) {}
        for action in actions { action() }
        retire(expired, .expired)
        arm()
    }

    // MARK: Retirement

    func isOverBudget(_ state: State) -> Bool {
        let (bytes, stores) = state.registry.limited
        return stores > configuration.storeLimit || bytes > configuration.byteLimit
    }

    /// Releases unused stores until the budgets of the configuration, or the tighter ones passed here, are met.
    func trim(storeLimit: Int? = nil, byteLimit: Int? = nil) {
        let surplus = state.withLock { state in
            state.registry.surplus(
                storeLimit: storeLimit ?? configuration.storeLimit,
                byteLimit: byteLimit ?? configuration.byteLimit
            )
        }
        retire(surplus, .overBudget)
    }

    func releaseMemory(_ pressure: MemoryPressure) {
        let (bytes, stores) = state.withLock { $0.registry.limited }
        switch pressure {
        case .warning: trim(storeLimit: stores / 2, byteLimit: bytes / 2)
        case .critical: trim(storeLimit: 0, byteLimit: 0)
        }
    }

    /// Releases the unused stores that a pattern matches and whose values are stale.
    func releaseStale(_ pattern: QueryPattern) {
        visit(stores(matching: pattern)) { [weak self] store in
            if store.isStale(by: store.settings.context) { _ = self?.retire(store, .expired) }
        }
    }

    /// Empties and releases unused stores. Stores that are in use by now are kept.
    private func retire(_ stores: [StoreCore], _ reason: QueryEvent.Reason) {
        for store in stores { _ = retire(store, reason) }
    }

    /// Empties a store and releases it. Returns `false`, without any effect, if the store is in use.
    ///
    /// - Parameters:
    ///   - forgets: Whether to remove the value from its cache, too.
    ///   - onlyIfEmpty: Whether a store with a result counts as being in use.
    func retire(_ store: StoreCore, _ reason: QueryEvent.Reason, forgets: Bool = false, onlyIfEmpty: Bool = false) -> Bool {
        let cause = wantsEvents ? store.contents.withBasis { basis, _ in basis.state }.record.cause : .reset
        let isReleased = Lock(false)
        let isDone = store.retire(forgets: forgets, onlyIfEmpty: onlyIfEmpty) { ticket in
            let released = state.withLock { state in
                if state.registry.isScheduled(ticket) { state.noteObsoleteDeadline() }
                return state.registry.retire(ticket) != nil
            }
            isReleased.withLock { $0 = released }
        }
        if isReleased.withLock({ $0 }) { reportRemoval(of: store, cause, reason) }
        return isDone
    }
}
