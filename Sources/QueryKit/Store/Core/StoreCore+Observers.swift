/// Runs that are started on behalf of observers, by triggers and by the client.
extension StoreCore {
    /// Starts a run for an observer's trigger (R20), if the value is stale according to the settings of that observer.
    ///
    /// An event fires the triggers of several observers one after the other. A run started for the first observer satisfies the others too,
    /// even if it is over by then.
    func refreshIfStale(_ cause: QueryCause, by observer: UInt32) {
        inOneSession { session in
            guard !host.isClosed, isEnabled else { return true }
            let own = contents.withLock { contents in contents.outbox.numberedObservers.first { $0.number == observer }?.settings }
            let context = (own ?? settings).context
            return change(by: context) { contents, input, freshness in
                guard contents.isIn(session) else { return false }
                guard contents.machine.isObserved, contents.isStale(by: freshness) else { return true }
                let now = context.clock.now
                let rare = contents.needRare()
                if let last = rare.triggered, last.answers(cause, of: observer, at: now) { return true }
                let former = contents.run
                contents.process(input) { $0.refresh(cause, &$1) }
                if contents.run !== former { rare.triggered = TriggeredRun(cause: cause, observer: observer, time: now) }
                return true
            }
        }
    }

    /// Starts a run for a trigger of the client (R31), if there are observers and the value is stale by the settings of one of them.
    ///
    /// - Parameter number: The latest change when the trigger fired. A value that includes this change satisfies the trigger. `nil` if it
    ///   doesn't matter which changes the value includes.
    func refreshIfStale(_ cause: QueryCause, after number: ChangeNumber?) {
        inOneSession { session in
            guard !host.isClosed, isEnabled else { return true }
            return refreshIfStale(cause, for: contents.withLock { $0.outbox.observers }, in: session) { contents in
                number.map { contents.asOf < $0 } ?? true
            }
        }
    }

    /// Evaluates the conditions of all observers again (R30). Starts a run if an observer has become enabled and the value is stale by the
    /// settings of that observer.
    func reconsider() {
        guard !host.isClosed, typing.runsByItself else { return }
        inOneSession { session in
            let observers = contents.withLock { $0.outbox.observers }
            let enabled = observers.filter { $0.hasBecomeEnabled() }
            return enabled.isEmpty || refreshIfStale(box.record.hasResult ? .stale : .subscribed, for: enabled, in: session) { _ in true }
        }
    }

    /// Starts a run if the value is stale for one of the observers. Returns `false` and does nothing if the store isn't in the session.
    private func refreshIfStale(
        _ cause: QueryCause,
        for observers: [RequestSettings],
        in session: WeakOwner?,
        if condition: (borrowing StoreContents) -> Bool
    ) -> Bool {
        while true {
            let ages = observers.map { freshness(by: $0.context) }
            let isDone = change { contents, input -> Bool? in
                guard contents.isIn(session) else { return nil }
                guard contents.machine.isObserved, !contents.machine.answersTriggers, condition(contents) else { return true }
                guard ages.allSatisfy({ contents.isCurrent($0) }) else { return false }
                if ages.contains(where: { contents.isStale(by: $0) }) { contents.process(input) { $0.refresh(cause, &$1) } }
                return true
            }
            guard let isDone else { return false }
            if isDone { return true }
        }
    }
}
