/// The default triggers of a client, which refetch stale observed stores when the app becomes active or the network is back (R31).
///
/// One observer per event serves all stores. It refetches a store as the store's own trigger would: if the value is stale by the settings
/// of one of its observers. So an equivalent trigger of a request has no additional effect.
final class DefaultTriggers: Sendable {
    private struct State {
        /// Whether the pause after a notification is under way, and the stores to notify when the pause is over.
        var isPaused = false
        var missed: [ObjectIdentifier: (store: WeakStore, cause: QueryCause)] = [:]
    }

    private struct WeakStore {
        weak var store: StoreCore?
    }

    private let activity: (any ActivityObserver)?
    private let coversReconnect: Bool
    private let core: WeakOwner
    private let state = Lock(State())

    /// Returns `nil` if there is nothing to listen to.
    init?(_ configuration: QueryClient.Configuration, _ context: QueryContext, _ core: ClientCore) {
        activity = configuration.refetchesWhenActive ? context.activityObserver : nil
        coversReconnect = configuration.refetchesOnReconnect && context.networkObserver != nil
        self.core = WeakOwner(core)
        if activity == nil, !coversReconnect { return nil }
    }

    /// Listens until the client is deallocated.
    func begin() {
        guard let core = core.object as? ClientCore else { return }
        var subscriptions: [QuerySubscription] = []
        if let activity {
            subscriptions.append(activity.observe { [weak self] isActive in if isActive { self?.fire(.appActive) } })
        }
        if coversReconnect { subscriptions.append(core.whenReconnected { [weak self] in self?.fire(.reconnect) }) }
        core.held.withLock { $0.formUnion(subscriptions) }
    }

    /// Whether the default triggers do all that a trigger of a request would do.
    func covers(_ trigger: QueryTrigger, in context: QueryContext) -> Bool {
        switch trigger.kind {
        case .reconnect: coversReconnect
        case .appActive: isOwn(context.activityObserver)
        case .every, .custom, .clocked: false
        }
    }

    /// Whether this is the observer that the default triggers listen to. Two values of one type count as the same.
    private func isOwn(_ other: (any ActivityObserver)?) -> Bool {
        guard let activity, let other, type(of: activity) == type(of: other) else { return false }
        return !(type(of: other) is AnyClass) || (activity as AnyObject) === (other as AnyObject)
    }

    private func fire(_ trigger: QueryTrigger) {
        guard let core = core.object as? ClientCore, !core.isClosed else { return }
        let cause = core.announce(.trigger(trigger.name), as: .trigger, of: .trigger(trigger.name))
        let (working, others, number) = core.observedStores()
        let mayFire = state.withLock { state in
            defer { state.isPaused = true }
            return !state.isPaused
        }
        guard mayFire else {
            for store in working { noteMiss(store, cause, number) }
            core.visit(others) { [weak self] in self?.noteMiss($0, cause, number) }
            return
        }
        // A run that waits for the network continues right after this call. It satisfies the trigger, but could be over before a task
        // visits its store.
        for store in working { store.refreshIfStale(cause, after: number) }
        core.visit(others) { $0.refreshIfStale(cause, after: number) }
        // Needs no cancellation: a deallocated client has no stores to refetch.
        _ = core.schedule(at: core.clock.now.advanced(by: TriggerSession.pause), on: core.clock) { [weak self] in self?.endPause() }
    }

    /// Notifies a store when the pause is over, unless a run that satisfies the trigger is under way now.
    private func noteMiss(_ store: StoreCore, _ cause: QueryCause, _ number: ChangeNumber) {
        if store.answersTriggers { return }
        let isTooLate = state.withLock { state in
            if state.isPaused, state.missed[ObjectIdentifier(store)] == nil {
                state.missed[ObjectIdentifier(store)] = (WeakStore(store: store), cause)
            }
            return !state.isPaused
        }
        if isTooLate { store.refreshIfStale(cause, after: number) }
    }

    private func endPause() {
        let missed = state.withLock { state in
            state.isPaused = !state.missed.isEmpty
            defer { state.missed = [:] }
            return state.missed.values
        }
        guard !missed.isEmpty, let core = core.object as? ClientCore, !core.isClosed else { return }
        for miss in missed { miss.store.store?.refreshIfStale(miss.cause, after: nil) }
        _ = core.schedule(at: core.clock.now.advanced(by: TriggerSession.pause), on: core.clock) { [weak self] in self?.endPause() }
    }
}

extension ClientCore {
    /// The stores that may have observers, those with runs first, and the number of a new change, which separates earlier values from later
    /// ones.
    func observedStores() -> (working: [StoreCore], others: [StoreCore], number: ChangeNumber) {
        state.withLock { state in
            let number = state.nextChange()
            defer { changeGauge.set(number.number) }
            return (state.registry.runningStores(), state.registry.observedStores(), number)
        }
    }

    func covers(_ trigger: QueryTrigger, in context: QueryContext) -> Bool { defaultTriggers?.covers(trigger, in: context) ?? false }
}
