/// Reports whether the app is active.
///
/// By default, a client uses the system's observer. In tests, use a ``ManualActivityObserver``.
public protocol ActivityObserver: Sendable {
    /// Whether the app is active now.
    var isActive: Bool { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ isActive: Bool) -> Void) -> QuerySubscription
}

/// An activity observer that you control, for tests and for platforms that QueryKit doesn't observe.
public final class ManualActivityObserver: ActivityObserver {
    private let listeners: Listeners<Bool>

    /// Creates an observer; by default the app is active.
    public init(isActive: Bool = true) { listeners = Listeners(isActive) }

    public var isActive: Bool { listeners.value }

    /// Sets whether the app is active. Normally calls all handlers before it returns. If another thread is calling handlers at that moment,
    /// this method returns at once, and that thread also calls them for this change.
    public func set(isActive: Bool) { listeners.set(isActive) }

    public func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { listeners.add(handler) }
}
