import Foundation

extension StoreCore {
    // MARK: Writing

    /// Publishes a result at once.
    ///
    /// - Parameter number: The number of the value that the new one was derived from. If the store has another value by now, nothing is
    ///   written and the result is `false`.
    @discardableResult
    func write(_ result: Result<AnyValue, any Error>, at time: QueryTimestamp, over number: UInt32? = nil) -> Bool {
        var input: StoreInput
        let failure: (any Error)?
        switch result {
        case .success(let value):
            let byteCount = typing.byteCount(of: value)
            let comparison = compare(value)
            if let number, number != comparison.number { return false }
            if !comparison.isEqual, writeQuietly(value, byteCount, at: time, over: comparison.number) { return true }
            input = StoreInput(value: value, byteCount: byteCount, comparison)
            input.variant = variantNow
            failure = nil
        case .failure(let error):
            input = StoreInput(error: error)
            failure = error
        }
        // A value written by a mutation includes the effect of its layers.
        input.writer = RunScope.current?.mutation
        ChangeBatch.current(of: host)?.hold(self, isWritten: true)
        var isEnabled: Bool?
        var cause = QueryCause.written
        while true {
            let isDone = change(input) { contents, input -> Bool? in
                if let number, number != contents.valueNumber { return false }
                // Conditions only matter for a run that follows the one under way, so evaluate them only if a run is under way.
                if contents.run != nil, isEnabled == nil { return nil }
                // The result of the run under way is dropped, so the run that follows must fetch everything.
                if contents.run != nil { contents.rare?.changes? = .anything }
                contents.process(input) { $0.write(failure, cause, isEnabled: isEnabled ?? false, at: time, &$1) }
                return true
            }
            if let isDone { return isDone }
            isEnabled = self.isEnabled
            cause = host.announce(cause, as: .write, of: .pattern(.path(path)))
        }
    }

    // MARK: Control

    @discardableResult
    func invalidate() -> QueryRefetches {
        let pattern = QueryPattern.path(path)
        return invalidate(host.announce(.invalidated(pattern), as: .invalidation, of: .pattern(pattern)), refetch: .active)
    }

    /// Marks the value as out of date, and refetches according to `refetch`.
    @discardableResult
    func invalidate(_ cause: QueryCause, refetch: QueryRefetch) -> QueryRefetches {
        if let refetches = ChangeBatch.current(of: host)?.add(.store(ticket), cause, refetch) { return refetches }
        return QueryRefetches(of: { enter(.invalidated(cause, refetch), $0) })
    }

    /// Enters a change that concerns only this store. If the client was deallocated, the store applies the change at once.
    private func enter(_ kind: StoreChange.Kind, _ refetches: RefetchList? = nil) {
        if host.enter(ticket, kind) { return catchUp(refetches) }
        change { contents, _ in contents.receive(kind) }
    }

    /// Moves a store of an earlier session to the current one: empties it, and gives it the context of the new session.
    func renew() { enter(.renewed(.session)) }

    /// Ends runs, triggers and links, because the client is deallocated.
    func close() {
        cancel()
        updateTriggers()
        let links = contents.withLock { contents in
            defer { contents.rare?.links = [:] }
            return contents.rare?.links ?? [:]
        }
        for link in links.values { link.cancel() }
    }

    /// Starts a run that no caller waits for, or joins the run under way. Does nothing if the request isn't enabled.
    func refresh(_ cause: QueryCause, _ refetches: RefetchList? = nil) {
        inOneSession { session in
            guard isEnabled else { return true }
            return change { contents, input in
                guard contents.isIn(session) else { return false }
                contents.process(input) { $0.refresh(cause, &$1) }
                if let refetches { contents.watchRun(of: self, for: refetches) }
                return true
            }
        }
    }

    /// Starts a run if the store has observers and its value is stale.
    func refreshIfStale(_ cause: QueryCause) {
        inOneSession { session in
            guard !host.isClosed, isEnabled else { return true }
            return change(by: context) { contents, input, freshness in
                guard contents.isIn(session) else { return false }
                guard contents.machine.isObserved, contents.isStale(by: freshness) else { return true }
                contents.process(input) { $0.refresh(cause, &$1) }
                return true
            }
        }
    }

    func link(to identity: QueryIdentity, _ make: () -> QuerySubscription) {
        guard contents.withLock({ $0.rare?.links[identity] == nil }) else { return }
        let link = make()
        let isTooLate = contents.withLock { contents in
            let rare = contents.needRare()
            if rare.links[identity] != nil { return true }
            rare.links[identity] = link
            return false
        }
        if isTooLate { link.cancel() }
    }

    func cancel() {
        endCalls(upTo: .max)
        change { contents, input in contents.process(input) { $0.cancel(&$1) } }
    }

    /// Ends the calls if this is the store of a mutation.
    private func endCalls(upTo count: Int) { if !typing.runsByItself { host.endCalls(of: ticket, upTo: count) } }

    func reset() {
        var count = 0
        let cause = host.announce(.reset, as: .reset, of: .pattern(.path(path)))
        // End only the calls that the reset discards, and not those that a handler has made since.
        defer { endCalls(upTo: count) }
        inOneSession { session in
            var input = resetInput
            input.forgets = true
            return change(input) { contents, input in
                guard contents.isIn(session) else { return false }
                count = host.callCount
                let isEnabled = input.isEnabled ?? true
                contents.process(input) { $0.reset(cause, refetches: isEnabled, &$1) }
                return true
            }
        }
    }

    /// Empties a store and removes it from its client in the same step. Returns `false` and does nothing if the store is in use.
    ///
    /// - Parameters:
    ///   - forgets: Whether caches must remove the value, too.
    ///   - onlyIfEmpty: Whether a store with a result counts as in use.
    func retire(forgets: Bool, onlyIfEmpty: Bool, _ unlist: (StoreTicket) -> Void) -> Bool {
        var input = resetInput
        input.forgets = forgets
        return change(input) { contents, input in
            guard contents.mayBeReleased, !onlyIfEmpty || !contents.state.record.hasResult else { return false }
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
