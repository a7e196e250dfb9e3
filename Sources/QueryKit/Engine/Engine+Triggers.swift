/// Triggers of requests: the sources of their events are code of the app.
extension ActiveTriggers {
    /// Watches the sources. Polling and the return of the network are decided by the ledger.
    func begin(_ engine: Engine) {
        guard let context else { return }
        for trigger in triggers {
            let name = trigger.name
            let fire = { @Sendable [weak engine, weak self] in
                guard let engine, let self else { return }
                engine.enterNow { $0.fire(self, name) }
            }
            switch trigger.kind {
            case .custom(let start): keep(start(context, fire))
            case .clocked(let start): keep(start(context, { context.clock.schedule(at: $0, $1) }, fire))
            case .appActive:
                guard let activity = context.activityObserver, !engine.coversActivity(of: activity) else { continue }
                keep(activity.observe { if $0 { fire() } })
            case .every, .reconnect: continue
            }
        }
    }

    private func keep(_ subscription: QuerySubscription) {
        let isTooLate = subscriptions.withLock { subscriptions in
            subscriptions?.append(subscription)
            return subscriptions == nil
        }
        if isTooLate { subscription.cancel() }
    }

    func end() { for subscription in subscriptions.withLock({ $0.take() }) ?? [] { subscription.cancel() } }
}

extension Engine {
    /// Invalidates what one of the patterns matches each time a trigger fires. In each session it begins again with that session's context.
    func invalidate(anyOf patterns: [QueryPattern], on trigger: QueryTrigger) -> QuerySubscription {
        let standing = Standing(patterns, trigger)
        let renewal = sessions.add { [weak self] _ in if let self { standing.begin(self) } }
        standing.begin(self)
        return QuerySubscription { [weak self] in
            renewal.cancel()
            if let self { standing.end(self) }
        }
    }

    /// An invalidation that repeats itself, with the triggers of the present session.
    private final class Standing: Sendable {
        private struct State {
            var isOver = false
            var present: ActiveTriggers?
            var session: UInt32 = 0
        }

        private let patterns: [QueryPattern]
        private let trigger: QueryTrigger
        private let state = Lock(State())

        init(_ patterns: [QueryPattern], _ trigger: QueryTrigger) { (self.patterns, self.trigger) = (patterns, trigger) }

        /// The triggers of the former session end afterwards, so that no event is missed in between.
        func begin(_ engine: Engine) {
            let session = engine.session.withLock(\.self)
            let new = ActiveTriggers(.invalidation(patterns), [trigger], session.context)
            let former = state.withLock { state -> ActiveTriggers?? in
                // Another thread may have begun those of a later session.
                guard !state.isOver, state.session < session.number else { return nil }
                defer { (state.present, state.session) = (new, session.number) }
                return .some(state.present)
            }
            guard let former else { return }
            engine.enter { $0.beginStanding(new) }
            if let former { engine.enter { $0.endStanding(former) } }
        }

        func end(_ engine: Engine) {
            let present = state.withLock { state in
                state.isOver = true
                return state.present.take()
            }
            if let present { engine.enter { $0.endStanding(present) } }
        }
    }
}
