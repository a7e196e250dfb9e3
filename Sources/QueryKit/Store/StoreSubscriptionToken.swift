/// The subscription of one handler to one store.
// Invariant: both properties are immutable and Sendable.
final class StoreSubscriptionToken: SubscriptionToken, @unchecked Sendable {
    private let store: any StoreControl
    private let subscriber: Subscriber

    init(_ store: any StoreControl, _ subscriber: Subscriber) {
        self.store = store
        self.subscriber = subscriber
    }

    override func cancel() {
        if subscriber.isCancelled.raise() { store.unsubscribe(subscriber) }
    }

    deinit { cancel() }
}
