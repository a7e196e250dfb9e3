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
        let isEnabled = typing.runsByItself && context.isEnabled
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
        let work = change(input) { contents, input -> StoreWork? in
            if let number, number != contents.valueNumber { return nil }
            // The run under way is dropped, and the one that follows has to see everything again.
            if contents.run != nil { contents.extras?.changes? = .anything }
            return contents.process(input) { $0.write(failure, isEnabled: isEnabled, at: time, &$1) }
        }
        guard let work else { return false }
        perform(work)
        return true
    }

    // MARK: Control

    func invalidate() { invalidate(.invalidated(.path(path)), refetch: .active) }

    func invalidate(_ cause: QueryCause, refetch: QueryRefetch) { invalidate(cause, refetch: refetch, by: nil) }

    /// Asks for a run that nobody waits for here. Joins the one under way; does nothing where the request is not enabled.
    func refresh(_ cause: QueryCause) {
        guard typing.runsByItself, context.isEnabled else { return }
        perform(change { contents, input in contents.process(input) { $0.refresh(cause, &$1) } })
    }

    /// A trigger asks for a run (R20): only if somebody observes and the value is stale.
    func pull(_ cause: QueryCause) {
        let context = self.context
        guard typing.runsByItself, context.isEnabled else { return }
        let now = context.clock.now
        perform(
            change { contents, input in
                guard contents.machine.isObserved, contents.state.record.isStale(at: now, ttl: context.ttl) else { return StoreWork() }
                return contents.process(input) { $0.refresh(cause, &$1) }
            }
        )
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

    func cancel() {
        perform(change { contents, input in contents.process(input) { $0.cancel(&$1) } })
    }

    func reset() { _ = reset(forgets: true) { _ in true } }

    func renew(context: QueryContext, _ cause: QueryCause) {
        let input = StoreInput(placeholder: context.settings.placeholder.flatMap { typing.placeholder($0) })
        let isEnabled = typing.runsByItself && context.isEnabled
        // In one step: a run that ends in between would bring the value of one session into the context of another. What is replaced
        // leaves the lock before it ends.
        let (work, replaced) = change(input) { contents, input in
            let replaced = (contents.context, contents.extras?.layers, contents.extras?.triggers)
            contents.context = context
            contents.extras?.layers.removeAll()
            contents.extras?.triggers = nil
            return (contents.process(input) { $0.reset(cause, refetches: isEnabled, &$1) }, replaced)
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
        if condition: (borrowing StoreContents) -> Bool
    ) -> StoreActivity? {
        let context = self.context
        let isEnabled = typing.runsByItself && context.isEnabled
        var input = StoreInput(placeholder: context.settings.placeholder.flatMap { typing.placeholder($0) })
        input.forgets = forgets
        let done = change(input) { contents, input -> (work: StoreWork, activity: StoreActivity?)? in
            guard condition(contents) else { return nil }
            var work = contents.process(input) { $0.reset(cause, refetches: isEnabled, &$1) }
            let activity = work.activity
            if !tellsHost { work.activity = nil }
            return (work, activity)
        }
        guard let done else { return nil }
        perform(done.work)
        return done.activity
    }
}
