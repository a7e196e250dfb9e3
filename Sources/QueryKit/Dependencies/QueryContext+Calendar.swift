public import Foundation

extension QueryContext {
    private enum CalendarKey: Key {
        static var defaultValue: Calendar { .autoupdatingCurrent }
    }

    private enum TimeZoneKey: Key {
        static var defaultValue: TimeZone? { nil }
    }

    /// The calendar that determines the days. Default: the user's calendar, in the context's time zone.
    public var calendar: Calendar {
        get {
            var calendar = self[CalendarKey.self]
            calendar.timeZone = timeZone
            return calendar
        }
        set {
            self[CalendarKey.self] = newValue
            timeZone = newValue.timeZone
        }
    }

    /// The time zone that determines the days. Default: the time zone of the ``timeZoneObserver``, or if there is none, the user's time
    /// zone. Setting the ``calendar`` also sets the time zone.
    public var timeZone: TimeZone {
        get { self[TimeZoneKey.self] ?? timeZoneObserver?.timeZone ?? .autoupdatingCurrent }
        set { self[TimeZoneKey.self] = newValue }
    }
}
