/// The subscription of one handler to one store.
// Invariant: both properties are immutable and Sendable.
final class StoreSubscriptionToken: SubscriptionToken, @unchecked Sendable {
    private let store: StoreCore
    private let subscriber: Subscriber

    init(_ store: StoreCore, _ subscriber: Subscriber) {
        self.store = store
        self.subscriber = subscriber
    }

    /// Goes on with other settings of an equal request; see ``StoreCore/replaceSettings(of:with:wasEnabled:)``.
    func adopt(_ settings: RequestSettings, wasEnabled: Bool) {
        if !subscriber.isCancelled.isRaised { store.replaceSettings(of: subscriber, with: settings, wasEnabled: wasEnabled) }
    }

    override func cancel() {
        if subscriber.isCancelled.raise() { store.unsubscribe(subscriber) }
    }

    deinit { cancel() }
}
