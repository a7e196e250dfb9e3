/// Reports whether there is a network.
///
/// By default, a client uses the system's observer. In tests, use a ``ManualNetworkObserver``.
public protocol NetworkObserver: Sendable {
    /// Whether there is a network now.
    var isOnline: Bool { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ isOnline: Bool) -> Void) -> QuerySubscription
}

/// A network observer that you control, for tests and for platforms that QueryKit doesn't observe.
public final class ManualNetworkObserver: NetworkObserver {
    private let listeners: Listeners<Bool>

    /// Creates an observer; by default there is a network.
    public init(isOnline: Bool = true) { listeners = Listeners(isOnline) }

    public var isOnline: Bool { listeners.value }

    /// Sets whether there is a network. Normally calls all handlers before it returns. If another thread is calling handlers at that
    /// moment, this method returns at once, and that thread also calls them for this change.
    public func set(isOnline: Bool) { listeners.set(isOnline) }

    public func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { listeners.add(handler) }
}
