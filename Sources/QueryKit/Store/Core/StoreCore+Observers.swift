/// Runs that triggers and the client ask for on behalf of observers.
extension StoreCore {
    /// A trigger that an observer has set asks for a run (R20): only if the value is stale by the settings of that observer.
    ///
    /// Observers hear of one event one after the other. A run that the first of them began answers the others too, also if it is over.
    func pull(_ cause: QueryCause, by observer: UInt32) {
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

    /// A trigger of the client asks for a run (R31): only if the store is observed and the value is stale by the settings of one observer.
    ///
    /// - Parameter number: The change as of which the trigger fired: a value that was read later answers it. `nil` if that does not count.
    func pull(_ cause: QueryCause, after number: ChangeNumber?) {
        inOneSession { session in
            guard !host.isClosed, isEnabled else { return true }
            return pull(cause, for: contents.withLock { $0.outbox.observers }, in: session) { contents in
                number.map { contents.asOf < $0 } ?? true
            }
        }
    }

    /// Asks for a run if the store is observed and its value is marked as out of date.
    func pullIfInvalidated(_ cause: QueryCause) {
        inOneSession { session in
            guard !host.isClosed, isEnabled else { return true }
            return change { contents, input in
                guard contents.isIn(session) else { return false }
                guard contents.machine.isObserved, contents.state.record.flags.contains(.invalidated) else { return true }
                contents.process(input) { $0.refresh(cause, &$1) }
                return true
            }
        }
    }

    /// Asks the conditions of all observers again (R30). Fetches if one became enabled and the value is stale by its settings.
    func reconsider() {
        guard !host.isClosed, typing.runsByItself else { return }
        inOneSession { session in
            let observers = contents.withLock { $0.outbox.observers }
            let enabled = observers.filter { $0.hasBecomeEnabled() }
            return enabled.isEmpty || pull(box.record.hasResult ? .stale : .subscribed, for: enabled, in: session) { _ in true }
        }
    }

    /// Returns `false`, and has done nothing, if the store is in another session than the given one.
    private func pull(
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
