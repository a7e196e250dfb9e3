/// A subscription that tells the main actor that something changed, once for many changes, as long as it lives.
///
/// What the store says while the subscription begins is not passed on: whoever made the relay looks at the store afterwards.
final class MainRelay: Sendable {
    private let subscription: QuerySubscription

    init<State>(_ store: QueryStore<State>, onChange action: @escaping @MainActor @Sendable () -> Void) {
        let hop = MainHop(action)
        let hasBegun = SharedFlag()
        subscription = store.subscribe(with: QueryEventHandler { _, _ in if hasBegun.isRaised { hop.request() } })
        hasBegun.raise()
    }

    /// Observes the same store with the settings of another handle.
    func adopt<State>(_ store: QueryStore<State>, wasEnabled: Bool) {
        (subscription.token as? StoreSubscriptionToken)?.adopt(store.settings, wasEnabled: wasEnabled)
    }
}
