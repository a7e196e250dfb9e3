/// Tells whether there is a network.
///
/// An app takes the system's with ``QueryContext/live``; a test moves a ``ManualNetworkObserver``.
public protocol NetworkObserver: Sendable {
    /// Whether there is a network now.
    var isOnline: Bool { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ isOnline: Bool) -> Void) -> QuerySubscription
}

/// A network that is there when it is told to be: for tests, and for platforms with a knowledge of their own.
public final class ManualNetworkObserver: NetworkObserver {
    private let listeners: Listeners<Bool>

    /// Creates an observer, by default of a network that is there.
    public init(isOnline: Bool = true) { listeners = Listeners(isOnline) }

    public var isOnline: Bool { listeners.value }

    /// Takes the network away or brings it back. Whoever observes hears of it before the call returns.
    public func set(isOnline: Bool) { listeners.set(isOnline) }

    public func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { listeners.add(handler) }
}

extension QueryContext {
    private enum NetworkKey: Key {
        static var defaultValue: (any NetworkObserver)? { nil }
    }

    /// Where a client learns whether there is a network. Default: `nil`, and the network counts as always there.
    ///
    /// Read once, when the client is made.
    public var networkObserver: (any NetworkObserver)? {
        get { self[NetworkKey.self] }
        set { self[NetworkKey.self] = newValue }
    }
}
