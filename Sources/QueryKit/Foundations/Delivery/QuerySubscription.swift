/// A subscription of a handler. It ends when you cancel it, or when its last copy is deallocated.
///
/// ```swift
/// private var subscriptions: Set<QuerySubscription> = []
/// store.subscribe(with: QueryEventHandler { state, _ in show(state) })
///     .store(in: &subscriptions)
/// ```
public struct QuerySubscription: Hashable, Sendable {
    let token: any SubscriptionToken

    init(_ token: any SubscriptionToken) { self.token = token }

    /// Creates a subscription to a source of your own, such as an observer of the network. `onCancel` is called once, when the subscription
    /// ends.
    public init(onCancel: @escaping @Sendable () -> Void) { token = ClosureToken(onCancel) }

    /// Ends the subscription. Does nothing the second time.
    ///
    /// After this method has returned, the current thread doesn't call the handler again, even if you cancel the subscription inside a call
    /// of the handler. A call that another thread is about to make may still happen.
    public func cancel() { token.cancel() }

    /// Stores the subscription in a set. The subscription lasts as long as it is in the set.
    public func store(in set: inout Set<QuerySubscription>) { set.insert(self) }

    public static func == (left: QuerySubscription, right: QuerySubscription) -> Bool { left.token === right.token }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
}

/// The object that all copies of a subscription share.
protocol SubscriptionToken: AnyObject, Sendable {
    func cancel()
}

private final class ClosureToken: SubscriptionToken {
    private let onCancel: @Sendable () -> Void
    private let isCancelled = Flag()

    init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    func cancel() {
        if isCancelled.raise() { onCancel() }
    }

    deinit { cancel() }
}
