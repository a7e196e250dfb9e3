/// The subscription of one handler to one store.
final class StoreSubscriptionToken: SubscriptionToken {
    private let store: StoreCore
    private let subscriber: any Subscriber

    init(_ store: StoreCore, _ subscriber: any Subscriber) {
        self.store = store
        self.subscriber = subscriber
    }

    /// Replaces the settings with those of an equal request; see ``StoreCore/replaceSettings(of:with:wasEnabled:)``.
    func adopt(_ settings: RequestSettings, wasEnabled: Bool) {
        if !subscriber.isCancelled { store.replaceSettings(of: subscriber, with: settings, wasEnabled: wasEnabled) }
    }

    func cancel() {
        if subscriber.markCancelled() { store.unsubscribe(subscriber) }
    }

    deinit { cancel() }
}
