import Foundation

extension QueryStore {
    // MARK: Writing

    /// Publishes a value at once, as fresh as a fetched one. A run under way does not overwrite it, and is followed by another.
    public func setValue(_ value: Value) { setResult(to: .success(value)) }

    /// Publishes a result at once. A failure leaves the value as it is.
    public func setResult(to result: Result<Value, any Error>) {
        let context = self.context
        let time = QueryTimestamp(now: context.clock)
        write(result, at: time, context)
    }

    /// Changes the present value, if there is one; `false` if not. A placeholder is none.
    @discardableResult
    public func updateValue(_ change: (inout Value) throws -> Void) rethrows -> Bool {
        // Read and write are two steps so that the closure runs without the lock; another write in between repeats them.
        while true {
            let (record, base, number) = core.withLock { ($0.state.record, $0.baseValue, $0.valueNumber) }
            guard record.flags.contains(.hasValue), let base else { return false }
            var value = unboxed(base, as: Value.self)
            try change(&value)
            let context = self.context
            if write(.success(value), at: QueryTimestamp(now: context.clock), context, over: number) { return true }
        }
    }

    /// Puts in a value from a cache or another launch, dated by the wall clock, unless there is a result already.
    ///
    /// It is older than whatever a run under way brings, so that goes on and replaces it.
    func seed(_ value: Value, updatedAt date: Date) {
        let time = QueryTimestamp(date: date, clock: context.clock)
        var input = StoreInput(value: value)
        input.isRestored = true
        let work = change(input) { core, input in
            core.state.record.hasResult ? StoreWork() : core.process(input) { $0.seed(at: time, &$1) }
        }
        perform(work)
    }

    @discardableResult
    private func write(
        _ result: Result<Value, any Error>,
        at time: QueryTimestamp,
        _ context: QueryContext,
        over number: UInt32? = nil
    ) -> Bool {
        let isEnabled = State.runsByItself && context.isEnabled
        var input: StoreInput
        let failure: (any Error)?
        switch result {
        case .success(let value):
            input = StoreInput(value: value, equalsValue: numberOfEqualValue(value))
            failure = nil
        case .failure(let error):
            input = StoreInput(error: error)
            failure = error
        }
        // What a mutation writes holds what its layers promised.
        input.writer = RunScope.current?.mutation
        let work = change(input) { core, input -> StoreWork? in
            if let number, number != core.valueNumber { return nil }
            // The run under way is dropped, and the one that follows has to see everything again.
            if core.run != nil { core.extras?.changes? = .anything }
            return core.process(input) { $0.write(failure, isEnabled: isEnabled, at: time, &$1) }
        }
        guard let work else { return false }
        perform(work)
        return true
    }

    // MARK: Control

    public func invalidate() { invalidate(.invalidated(.path(path)), refetch: .active) }

    func invalidate(_ cause: QueryCause, refetch: QueryRefetch) { invalidate(cause, refetch: refetch, by: nil) }

    /// Asks for a run that nobody waits for here. Joins the one under way; does nothing where the request is not enabled.
    func refresh(_ cause: QueryCause) {
        guard State.runsByItself, context.isEnabled else { return }
        perform(change { core, input in core.process(input) { $0.refresh(cause, &$1) } })
    }

    /// A trigger asks for a run (R20): only if somebody observes and the value is stale.
    func pull(_ cause: QueryCause) {
        let context = self.context
        guard State.runsByItself, context.isEnabled else { return }
        let now = context.clock.now
        perform(
            change { core, input in
                guard core.machine.isObserved, core.state.record.isStale(at: now, ttl: context.ttl) else { return StoreWork() }
                return core.process(input) { $0.refresh(cause, &$1) }
            }
        )
    }

    func link(to identity: QueryIdentity, _ make: () -> QuerySubscription) {
        guard core.withLock({ $0.extras?.links[identity] == nil }) else { return }
        let link = make()
        let isTooLate = core.withLock { core in
            let extras = core.needExtras()
            if extras.links[identity] != nil { return true }
            extras.links[identity] = link
            return false
        }
        if isTooLate { link.cancel() }
    }

    public func cancel() {
        perform(change { core, input in core.process(input) { $0.cancel(&$1) } })
    }

    public func reset() { _ = reset(forgets: true) { _ in true } }

    func renew(context: QueryContext, _ cause: QueryCause) {
        let input = StoreInput(placeholder: (context.settings.placeholder as? QueryPlaceholder<Value>)?.make())
        let isEnabled = State.runsByItself && context.isEnabled
        // In one step: a run that ends in between would bring the value of one session into the context of another. What is replaced
        // leaves the lock before it ends.
        let (work, replaced) = change(input) { core, input in
            let replaced = (core.context, core.extras?.layers, core.extras?.triggers)
            core.context = context
            core.extras?.layers.removeAll()
            core.extras?.triggers = nil
            return (core.process(input) { $0.reset(cause, refetches: isEnabled, &$1) }, replaced)
        }
        replaced.2?.end()
        withExtendedLifetime(replaced) { perform(work) }
        updateTriggers()
    }

    func emptyIfIdle(forgets: Bool) -> UInt32? {
        // Nothing about a store that is let go is worth a new deadline, so the client does not hear of this as of a use.
        reset(tellsHost: false, forgets: forgets) { $0.isIdle }?.sequence
    }

    /// Resets, if a look at the machine says so; answers with the store's activity from then on.
    private func reset(
        _ cause: QueryCause = .reset,
        tellsHost: Bool = true,
        forgets: Bool = false,
        if condition: (borrowing StoreCore) -> Bool
    ) -> StoreActivity? {
        let context = self.context
        let isEnabled = State.runsByItself && context.isEnabled
        var input = StoreInput(placeholder: (context.settings.placeholder as? QueryPlaceholder<Value>)?.make())
        input.forgets = forgets
        let done = change(input) { core, input -> (work: StoreWork, activity: StoreActivity?)? in
            guard condition(core) else { return nil }
            var work = core.process(input) { $0.reset(cause, refetches: isEnabled, &$1) }
            let activity = work.activity
            if !tellsHost { work.activity = nil }
            return (work, activity)
        }
        guard let done else { return nil }
        perform(done.work)
        return done.activity
    }
}
