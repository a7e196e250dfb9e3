public import Foundation

/// Reports the user's time zone.
///
/// By default, a client uses the system's observer. In tests, use a ``ManualTimeZoneObserver``.
public protocol TimeZoneObserver: Sendable {
    /// The current time zone, which is the default of ``QueryContext/timeZone``.
    var timeZone: TimeZone { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ timeZone: TimeZone) -> Void) -> QuerySubscription
}

/// A time zone observer that you control, for tests and for platforms that QueryKit doesn't observe.
public final class ManualTimeZoneObserver: TimeZoneObserver {
    private let listeners: Listeners<TimeZone>

    /// Creates an observer with an initial time zone.
    public init(_ timeZone: TimeZone) { listeners = Listeners(timeZone) }

    public var timeZone: TimeZone { listeners.value }

    /// Sets the time zone. Normally calls all handlers before it returns. If another thread is calling handlers at that moment, this method
    /// returns at once, and that thread also calls them for this change.
    public func set(_ timeZone: TimeZone) { listeners.set(timeZone) }

    public func observe(_ handler: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription { listeners.add(handler) }
}
