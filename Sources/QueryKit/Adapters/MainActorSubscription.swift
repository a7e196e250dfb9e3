/// The subscription of a mirror or a shared query to a store, and the state that the main actor shows of it. Ends when it is released.
final class MainActorSubscription<State: QueryStateProtocol>: Sendable {
    private let store: QueryStore<State>
    private let shown: ShownStore
    private let number: Int
    private let subscription: QuerySubscription

    /// - Parameter action: Called after the shown state has changed, once for many changes.
    init(_ store: QueryStore<State>, onChange action: @escaping @MainActor @Sendable () -> Void) {
        let shown = MainTurn.shared.shownStore(store.core)
        self.store = store
        self.shown = shown
        number = shown.add(action)
        subscription = store.subscribe(with: QueryEventHandler { state, _ in shown.noteChange(state.record.revision) })
        // Read the state only now: subscribing may have started a run, which the state must show if it is read for the first time.
        _ = shown.box
    }

    deinit { shown.remove(number) }

    /// The state that the main actor shows in this turn.
    var state: State { state(of: store) }

    /// The same state with the settings of another handle of the store.
    func state(of store: QueryStore<State>) -> State { store.state(of: shown.box) }

    /// Continues to observe the store with the settings of another handle.
    func adopt(_ store: QueryStore<State>, wasEnabled: Bool) {
        (subscription.token as? StoreSubscriptionToken)?.adopt(store.settings, wasEnabled: wasEnabled)
    }
}
