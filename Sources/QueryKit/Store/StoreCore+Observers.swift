/// Runs that triggers and the client ask for on behalf of observers.
extension StoreCore {
    /// A trigger that an observer has set asks for a run (R20): only if the value is stale by the settings of that observer.
    ///
    /// Observers hear of one event one after the other. A run that the first of them began answers the others too, also if it is over.
    func pull(_ cause: QueryCause, by observer: UInt32) {
        guard !host.isClosed, isEnabled else { return }
        let own = contents.withLock { contents in contents.outbox.numberedObservers.first { $0.number == observer }?.settings }
        let context = (own ?? settings).context
        change(by: context) { contents, input, freshness in
            guard contents.machine.isObserved, contents.isStale(by: freshness) else { return }
            let now = context.clock.now
            let extras = contents.needExtras()
            if let last = extras.triggered, last.answers(cause, of: observer, at: now) { return }
            let former = contents.run
            contents.process(input) { $0.refresh(cause, &$1) }
            if contents.run !== former { extras.triggered = TriggeredRun(cause: cause, observer: observer, time: now) }
        }
    }

    /// A trigger of the client asks for a run (R31): only if somebody observes and the value is stale by the settings of one of the observers.
    ///
    /// - Parameter number: The change as of which the trigger fired: a value that was read later answers it. `nil` if that does not count.
    func pull(_ cause: QueryCause, after number: ChangeNumber?) {
        guard !host.isClosed, isEnabled else { return }
        pull(cause, for: contents.withLock { $0.outbox.observers }) { contents in
            number.map { contents.asOf < $0 } ?? true
        }
    }

    /// Asks the conditions of all observers again (R30). Fetches if one became enabled and the value is stale by its settings.
    func reconsider() {
        guard !host.isClosed, typing.runsByItself else { return }
        let observers = contents.withLock { $0.outbox.observers }
        let enabled = observers.filter { $0.hasBecomeEnabled() }
        if !enabled.isEmpty { pull(box.record.hasResult ? .stale : .subscribed, for: enabled) { _ in true } }
    }

    private func pull(_ cause: QueryCause, for observers: [RequestSettings], if condition: (borrowing StoreContents) -> Bool) {
        while true {
            let ages = observers.map { freshness(by: $0.context) }
            let isDone = change { contents, input in
                guard contents.machine.isObserved, !contents.machine.answersTriggers, condition(contents) else { return true }
                guard ages.allSatisfy({ contents.isCurrent($0) }) else { return false }
                if ages.contains(where: { contents.isStale(by: $0) }) { contents.process(input) { $0.refresh(cause, &$1) } }
                return true
            }
            if isDone { return }
        }
    }
}
