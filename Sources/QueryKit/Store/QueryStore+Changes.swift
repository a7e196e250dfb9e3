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
            let (box, number) = core.withLock { ($0.state, $0.valueNumber) }
            guard box.record.flags.contains(.hasValue), var value = box.value(as: Value.self) else { return false }
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
        let input = StoreInput(value: value)
        let work = core.withLock { core in
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
        let isEnabled = context.isEnabled
        let input: StoreInput
        let failure: (any Error)?
        switch result {
        case .success(let value):
            input = StoreInput(value: value, equalsValue: numberOfEqualValue(value))
            failure = nil
        case .failure(let error):
            input = StoreInput(error: error)
            failure = error
        }
        let work = core.withLock { core -> StoreWork? in
            if let number, number != core.valueNumber { return nil }
            return core.process(input) { $0.write(failure, isEnabled: isEnabled, at: time, &$1) }
        }
        guard let work else { return false }
        perform(work)
        return true
    }

    // MARK: Control

    public func invalidate() { invalidate(.invalidated(.path(path)), refetch: .active) }

    func invalidate(_ cause: QueryCause, refetch: QueryRefetch) {
        let isEnabled = context.isEnabled
        perform(core.withLock { core in core.process { $0.invalidate(cause, refetch: refetch, isEnabled: isEnabled, &$1) } })
    }

    /// Asks for a run that nobody waits for here. Joins the one under way; does nothing where the request is not enabled.
    func refresh(_ cause: QueryCause) {
        guard context.isEnabled else { return }
        perform(core.withLock { core in core.process { $0.refresh(cause, &$1) } })
    }

    public func cancel() {
        perform(core.withLock { core in core.process { $0.cancel(&$1) } })
    }

    public func reset() { _ = reset { _ in true } }

    func emptyIfIdle() -> UInt32? {
        // Nothing about a store that is let go is worth a new deadline, so the client does not hear of this as of a use.
        reset(tellsHost: false) { $0.isIdle && !$0.isObserved }?.sequence
    }

    /// Resets, if a look at the machine says so; answers with the store's activity from then on.
    private func reset(tellsHost: Bool = true, if condition: (RunMachine) -> Bool) -> StoreActivity? {
        let context = self.context
        let isEnabled = context.isEnabled
        let input = StoreInput(placeholder: (context.settings.placeholder as? QueryPlaceholder<Value>)?.make())
        let done = core.withLock { core -> (work: StoreWork, activity: StoreActivity?)? in
            guard condition(core.machine) else { return nil }
            var work = core.process(input) { $0.reset(refetches: isEnabled, &$1) }
            let activity = work.activity
            if !tellsHost { work.activity = nil }
            return (work, activity)
        }
        guard let done else { return nil }
        perform(done.work)
        return done.activity
    }
}
