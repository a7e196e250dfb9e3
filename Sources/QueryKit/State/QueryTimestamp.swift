import Foundation

/// When something happened, on both clocks: monotonic time for ages within a process, and wall time for display and for other launches.
struct QueryTimestamp: Hashable, Sendable {
    let instant: QueryInstant
    let date: Date

    /// Stands for an event that has not happened.
    static let none = QueryTimestamp(instant: QueryInstant(nanoseconds: .min), date: .distantPast)

    init(instant: QueryInstant, date: Date) {
        self.instant = instant
        self.date = date
    }

    init(now clock: any QueryClock) {
        self.init(instant: clock.now, date: clock.date)
    }

    /// Creates a timestamp from a wall-clock date, perhaps of an earlier launch.
    ///
    /// A date in the future means that the wall clock has been set back since then. The true age is unknown, so the timestamp counts as
    /// very old.
    init(date: Date, clock: any QueryClock) {
        let age = clock.date.timeIntervalSince(date)
        let elapsed: Duration = age < 0 || age.isNaN ? .infinity : age < 9e9 ? .seconds(age) : .infinity
        let start = clock.now.advanced(by: .zero - elapsed)
        // One nanosecond above the sentinel, so that "very old" differs from "never".
        self.init(instant: max(start, QueryInstant(nanoseconds: .min + 1)), date: date)
    }

    var happened: Bool { self != .none }

    /// Whether this happened after something else. Compares dates, or ages if the wall clock has been set back since the other event.
    ///
    /// - Parameter date: The current wall-clock date. A timestamp with a later date has an unknown age, and isn't later than anything.
    func isLater(than other: QueryTimestamp, by date: Date) -> Bool {
        if other.date > date { return instant > other.instant }
        return self.date > other.date && self.date <= date
    }

    func age(at now: QueryInstant) -> Duration { instant.duration(to: now) }
}
