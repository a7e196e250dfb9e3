import Observation

extension QueryRequest {
    /// Lets the library start runs of the request only while a condition is true. The condition may read observable objects of the main
    /// actor.
    ///
    /// ```swift
    /// Profile(user: id).enabled(observing: { session.isSignedIn })
    /// ```
    ///
    /// While the request has observers, the condition is tracked with Observation: after a change of a property that the condition has
    /// read, the main actor evaluates the condition again. If it is true and the value is stale, a run begins. Other threads use the latest
    /// result of the condition, which may be outdated if there are no observers. `fetch` ignores the condition. If there are several
    /// conditions, all must be true.
    public func enabled(observing condition: @escaping @MainActor @Sendable () -> Bool) -> some QueryRequest<Value, State> {
        let condition = ObservedCondition(condition)
        return setting { context in
            context.settings.conditions.append(RunCondition { _ in condition.holds })
            context.settings.triggers.append(condition.trigger)
        }
    }
}

/// A condition of the main actor, and its latest result.
private final class ObservedCondition: Sendable {
    private let condition: @MainActor @Sendable () -> Bool
    private let answer = Lock(false)

    init(_ condition: @escaping @MainActor @Sendable () -> Bool) { self.condition = condition }

    /// On the main thread, evaluates the condition; on other threads, returns its latest result.
    var holds: Bool {
        guard MainTurn.isCurrent else { return answer.withLock { $0 } }
        let holds = MainActor.assumeIsolated { condition() }
        answer.withLock { $0 = holds }
        return holds
    }

    /// Tracks the condition while there are observers, and fires if it is true after a change.
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

    /// Evaluates the condition in the next job of the main actor, and again after each change of a property that it read.
    ///
    /// - Parameter before: Its previous result; `nil` for the first evaluation, which takes the result that other threads use instead.
    private func track(_ isOver: SharedFlag, _ core: ClientCore, from before: Bool?, _ fire: @escaping @Sendable () -> Void) {
        let known = before ?? answer.withLock { $0 }
        MainTurn.shared.request(countedBy: core) { [weak core] in
            guard !isOver.isRaised else { return }
            let holds = Lock(false)
            withObservationTracking {
                let now = self.condition()
                holds.withLock { $0 = now }
            } onChange: { [weak core] in
                // `onChange` is called before the change, so evaluate the condition in another job.
                if let core, !isOver.isRaised { self.track(isOver, core, from: holds.withLock { $0 }, fire) }
            }
            let now = holds.withLock { $0 }
            self.answer.withLock { $0 = now }
            if now, !known { fire() }
        }
    }
}
