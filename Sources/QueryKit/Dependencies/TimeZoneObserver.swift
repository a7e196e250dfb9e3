public import Foundation

/// Tells in which time zone the user is.
///
/// An app takes the system's with ``QueryContext/live``; a test travels with a ``ManualTimeZoneObserver``.
public protocol TimeZoneObserver: Sendable {
    /// The time zone of this moment, which ``QueryContext/timeZone`` is by default.
    var timeZone: TimeZone { get }

    /// Calls `handler` at each change from now on, on any thread, until the subscription ends.
    func observe(_ handler: @escaping @Sendable (_ timeZone: TimeZone) -> Void) -> QuerySubscription
}

/// A user who travels when told to: for tests, and for platforms with a knowledge of their own.
public final class ManualTimeZoneObserver: TimeZoneObserver {
    private let listeners: Listeners<TimeZone>

    /// Creates an observer of a user who is in a time zone.
    public init(_ timeZone: TimeZone) { listeners = Listeners(timeZone) }

    public var timeZone: TimeZone { listeners.value }

    /// Goes to another time zone. Whoever observes hears of it before the call returns.
    public func set(_ timeZone: TimeZone) { listeners.set(timeZone) }

    public func observe(_ handler: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription { listeners.add(handler) }
}

extension QueryContext {
    private enum TimeZoneObserverKey: Key {
        static var defaultValue: (any TimeZoneObserver)? { nil }
    }

    /// Where ``timeZone`` comes from if it was not set, and where ``QueryTrigger/timeZoneChange`` and ``QueryTrigger/dayChange`` learn that it
    /// is another one. Default: `nil`, and nobody learns of it.
    public var timeZoneObserver: (any TimeZoneObserver)? {
        get { self[TimeZoneObserverKey.self] }
        set { self[TimeZoneObserverKey.self] = newValue }
    }
}
