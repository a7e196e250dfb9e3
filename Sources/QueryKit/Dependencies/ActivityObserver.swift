/// Tells whether the app is in use.
///
/// An app takes the system's with ``QueryContext/live``; a test moves a ``ManualActivityObserver``.
public protocol ActivityObserver: Sendable {
    /// Whether the app is active now.
    var isActive: Bool { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ isActive: Bool) -> Void) -> QuerySubscription
}

/// An app that is active when it is told to be: for tests, and for platforms with a knowledge of their own.
public final class ManualActivityObserver: ActivityObserver {
    private let listeners: Listeners<Bool>

    /// Creates an observer, by default of an app that is active.
    public init(isActive: Bool = true) { listeners = Listeners(isActive) }

    public var isActive: Bool { listeners.value }

    /// Sends the app away or brings it back. Whoever observes hears of it before the call returns.
    public func set(isActive: Bool) { listeners.set(isActive) }

    public func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { listeners.add(handler) }
}

extension QueryContext {
    private enum ActivityKey: Key {
        static var defaultValue: (any ActivityObserver)? { nil }
    }

    /// Where ``QueryTrigger/appActive`` learns that the app is back. Default: `nil`, and the app counts as always active.
    public var activityObserver: (any ActivityObserver)? {
        get { self[ActivityKey.self] }
        set { self[ActivityKey.self] = newValue }
    }
}
