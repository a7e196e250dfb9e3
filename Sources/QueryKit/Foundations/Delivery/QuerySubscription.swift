/// Keeps a handler informed; ends when it is cancelled, or when its last copy goes.
///
/// ```swift
/// private var subscriptions: Set<QuerySubscription> = []
/// store.subscribe(with: QueryEventHandler { state, _ in show(state) }).store(in: &subscriptions)
/// ```
public struct QuerySubscription: Hashable, Sendable {
    let token: any SubscriptionToken

    init(_ token: any SubscriptionToken) { self.token = token }

    /// Creates a subscription to something of your own, such as an observer of the network: `onCancel` is called once, when it ends.
    public init(onCancel: @escaping @Sendable () -> Void) { token = ClosureToken(onCancel) }

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
