/// Reports whether the app is in use.
///
/// A client uses the system's by default; a test sets a ``ManualActivityObserver``.
public protocol ActivityObserver: Sendable {
    /// Whether the app is active now.
    var isActive: Bool { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ isActive: Bool) -> Void) -> QuerySubscription
}

/// An activity observer that reports what you set: for tests, and for platforms that you know more about.
public final class ManualActivityObserver: ActivityObserver {
    private let listeners: Listeners<Bool>

    /// Creates an observer, by default of an app that is active.
    public init(isActive: Bool = true) { listeners = Listeners(isActive) }

    public var isActive: Bool { listeners.value }

    /// Sets whether the app is active. All handlers are called before this returns, unless another thread is calling them.
    public func set(isActive: Bool) { listeners.set(isActive) }

    public func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { listeners.add(handler) }
}
