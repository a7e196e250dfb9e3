import Foundation

extension StoreCore {
    // MARK: Writing

    @discardableResult
    func write(
        _ result: Result<StateBox.Value, any Error>,
        byteCount: Int,
        at time: QueryTimestamp,
        _ context: QueryContext,
        over number: UInt32? = nil
    ) -> Bool {
        let isEnabled = self.isEnabled
        var input: StoreInput
        let failure: (any Error)?
        switch result {
        case .success(let value):
            input = StoreInput(value: value, byteCount: byteCount, equalsValue: numberOfEqualValue(value))
            failure = nil
        case .failure(let error):
            input = StoreInput(error: error)
            failure = error
        }
        // What a mutation writes holds what its layers promised.
        input.writer = RunScope.current?.mutation
        if case .success(let value) = result { input.tags = tags(of: value) }
        return change(input) { contents, input in
            if let number, number != contents.valueNumber { return false }
            // The run under way is dropped, and the one that follows has to see everything again.
            if contents.run != nil { contents.extras?.changes? = .anything }
            contents.process(input) { $0.write(failure, isEnabled: isEnabled, at: time, &$1) }
            return true
        }
    }

    // MARK: Control

    func invalidate() { invalidate(.invalidated(.path(path)), refetch: .active) }

    /// Marks the value as out of date, and runs again as `refetch` says.
    func invalidate(_ cause: QueryCause, refetch: QueryRefetch) { enter(.invalidated(cause, refetch)) }

    /// Enters a change that concerns this store alone. A store whose client is gone takes it at once.
    private func enter(_ kind: StoreChange.Kind) {
        if host.enter(ticket, kind) { return catchUp() }
        change { contents, _ in contents.receive(kind) }
    }

    /// Goes on in the present session, if the store is of a former one: empty, and with the context of the new one.
    func renew() { enter(.renewed) }

    /// Ends what the store does by itself: its client is gone.
    func close() {
        cancel()
        updateTriggers()
        let links = contents.withLock { contents in
            defer { contents.extras?.links = [:] }
            return contents.extras?.links ?? [:]
        }
        for link in links.values { link.cancel() }
    }

    /// Asks for a run that nobody waits for here. Joins the one under way; does nothing where the request is not enabled.
    func refresh(_ cause: QueryCause) {
        guard isEnabled else { return }
        change { contents, input in contents.process(input) { $0.refresh(cause, &$1) } }
    }

    /// A trigger asks for a run (R20): only if somebody observes and the value is stale by the settings of the observer that set the trigger.
    func pull(_ cause: QueryCause, by observer: UInt32? = nil) {
        guard !host.isClosed, isEnabled else { return }
        let own = contents.withLock { contents in contents.outbox.numberedObservers.first { $0.number == observer }?.settings }
        let context = (own ?? settings).context
        let now = context.clock.now
        change { contents, input in
            guard contents.machine.isObserved, contents.state.record.isStale(at: now, ttl: context.ttl) else { return }
            contents.process(input) { $0.refresh(cause, &$1) }
        }
    }

    func link(to identity: QueryIdentity, _ make: () -> QuerySubscription) {
        guard contents.withLock({ $0.extras?.links[identity] == nil }) else { return }
        let link = make()
        let isTooLate = contents.withLock { contents in
            let extras = contents.needExtras()
            if extras.links[identity] != nil { return true }
            extras.links[identity] = link
            return false
        }
        if isTooLate { link.cancel() }
    }

    func cancel() { change { contents, input in contents.process(input) { $0.cancel(&$1) } } }

    func reset() {
        var input = resetInput
        input.forgets = true
        change(input) { contents, input in
            let isEnabled = input.isEnabled ?? true
            contents.process(input) { $0.reset(.reset, refetches: isEnabled, &$1) }
        }
    }

    /// Empties a store that nobody uses, and lets its client let go of it in the same step; `false`, and nothing happened, if somebody uses it.
    ///
    /// - Parameter forgets: Whether its cache is to forget the value, too.
    func retire(forgets: Bool, _ unlist: (StoreTicket) -> Void) -> Bool {
        var input = resetInput
        input.forgets = forgets
        return change(input) { contents, input in
            guard contents.mayBeReleased else { return false }
            contents.process(input) { $0.reset(.reset, refetches: false, &$1) }
            contents.forgetActivity()
            unlist(ticket)
            return true
        }
    }

    private var resetInput: StoreInput {
        var input = StoreInput()
        input.isEnabled = isEnabled
        return input
    }
}
