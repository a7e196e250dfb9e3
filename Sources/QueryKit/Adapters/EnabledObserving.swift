import Observation

extension QueryRequest {
    /// Lets the library start runs by itself only while a condition holds that reads observable objects of the main actor.
    ///
    /// ```swift
    /// Profile(user: id).enabled(observing: { session.isSignedIn })
    /// ```
    ///
    /// While the request has observers, the condition is tracked with Observation: when a property that it read changes, it is evaluated
    /// again on the main actor, after the change. If it is true and the value is stale, a run begins. Other threads use the latest result;
    /// without observers that may be an old one. `fetch` always runs. If there are several conditions, all must be true.
    public func enabled(observing condition: @escaping @MainActor @Sendable () -> Bool) -> some QueryRequest<Value, State> {
        let condition = ObservedCondition(condition)
        return setting { context in
            context.settings.conditions.append { _ in condition.holds }
            context.settings.triggers.append(condition.trigger)
        }
    }
}

/// A condition of the main actor, and what it said last.
private final class ObservedCondition: Sendable {
    private let condition: @MainActor @Sendable () -> Bool
    private let answer = Lock(false)

    init(_ condition: @escaping @MainActor @Sendable () -> Bool) { self.condition = condition }

    /// What the condition says now on the main thread, and on other threads what it said last.
    var holds: Bool {
        guard MainTurn.isCurrent else { return answer.withLock { $0 } }
        let holds = MainActor.assumeIsolated { condition() }
        answer.withLock { $0 = holds }
        return holds
    }

    /// Tracks the condition while there are observers, and fires when it is true after a change.
    var trigger: QueryTrigger {
        var trigger = QueryTrigger("enabled") { context, fire in
            guard let client = context.queryClient else { return QuerySubscription {} }
            let isOver = SharedFlag()
            self.track(isOver, client.core, from: nil, fire)
            return QuerySubscription { isOver.raise() }
        }
        trigger.number = ObjectIdentifier(self)
        return trigger
    }

    /// Asks the condition in the next job of the main actor, and again after each change of what it read.
    ///
    /// - Parameter before: What it said before; `nil` the first time, when what another thread takes for the answer counts.
    private func track(_ isOver: SharedFlag, _ core: ClientCore, from before: Bool?, _ fire: @escaping @Sendable () -> Void) {
        let known = before ?? answer.withLock { $0 }
        MainTurn.shared.request(countedBy: core) { [weak core] in
            guard !isOver.isRaised else { return }
            let holds = Lock(false)
            withObservationTracking {
                let now = self.condition()
                holds.withLock { $0 = now }
            } onChange: { [weak core] in
                // Called before the change, so the next look is left to a job of its own.
                if let core, !isOver.isRaised { self.track(isOver, core, from: holds.withLock { $0 }, fire) }
            }
            let now = holds.withLock { $0 }
            self.answer.withLock { $0 = now }
            if now, !known { fire() }
        }
    }
}
