/// Keeps a handler informed; ends when it is cancelled, or when its last copy goes.
///
/// ```swift
/// private var subscriptions: Set<QuerySubscription> = []
/// store.subscribe(with: QueryEventHandler { state, _ in show(state) }).store(in: &subscriptions)
/// ```
public struct QuerySubscription: Hashable, Sendable {
    private let token: SubscriptionToken

    init(_ token: SubscriptionToken) { self.token = token }

    /// Ends the subscription. Does nothing the second time.
    ///
    /// From then on this thread makes no further call of the handler, also not in the middle of a change that it is being told of.
    /// A call that another thread was just about to make may still come.
    public func cancel() { token.cancel() }

    /// Puts the subscription into a set that lives as long as its owner.
    public func store(in set: inout Set<QuerySubscription>) { set.insert(self) }

    public static func == (left: QuerySubscription, right: QuerySubscription) -> Bool { left.token === right.token }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
}

/// What all copies of a subscription share.
// Invariant: no state here, and the one subclass has immutable Sendable properties.
class SubscriptionToken: @unchecked Sendable {
    func cancel() {}
}

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
