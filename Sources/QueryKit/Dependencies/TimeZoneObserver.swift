public import Foundation

/// Reports which time zone the user is in.
///
/// A client uses the system's by default; a test sets a ``ManualTimeZoneObserver``.
public protocol TimeZoneObserver: Sendable {
    /// The time zone of this moment, which ``QueryContext/timeZone`` is by default.
    var timeZone: TimeZone { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ timeZone: TimeZone) -> Void) -> QuerySubscription
}

/// A time-zone observer that reports what you set: for tests, and for platforms that you know more about.
public final class ManualTimeZoneObserver: TimeZoneObserver {
    private let listeners: Listeners<TimeZone>

    /// Creates an observer that reports a time zone.
    public init(_ timeZone: TimeZone) { listeners = Listeners(timeZone) }

    public var timeZone: TimeZone { listeners.value }

    /// Sets the time zone. All handlers are called before this returns, unless another thread is calling them.
    public func set(_ timeZone: TimeZone) { listeners.set(timeZone) }

    public func observe(_ handler: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription { listeners.add(handler) }
}
