import Foundation

/// When something happened, on both clocks: monotonic for ages inside a process, wall time for people and for other launches.
struct QueryTimestamp: Hashable, Sendable {
    let instant: QueryInstant
    let date: Date

    /// It has not happened.
    static let none = QueryTimestamp(instant: QueryInstant(nanoseconds: .min), date: .distantPast)

    init(instant: QueryInstant, date: Date) {
        self.instant = instant
        self.date = date
    }

    init(now clock: any QueryClock) {
        self.init(instant: clock.now, date: clock.date)
    }

    /// Something that a wall clock dated, perhaps in another launch.
    ///
    /// A date in the future says that the wall clock was set back since; its true age is unknown, so it counts as very old.
    init(date: Date, clock: any QueryClock) {
        let age = clock.date.timeIntervalSince(date)
        let elapsed: Duration = age < 0 || age.isNaN ? .infinity : age < 9e9 ? .seconds(age) : .infinity
        let start = clock.now.advanced(by: .zero - elapsed)
        // One nanosecond above the sentinel, so that "very old" is not "never".
        self.init(instant: max(start, QueryInstant(nanoseconds: .min + 1)), date: date)
    }

    var happened: Bool { self != .none }

    /// Whether it happened after something else. Dates decide; if the wall clock was set back since then, ages do.
    ///
    /// - Parameter date: What the wall clock shows now. A later date than that is one of unknown age, and after nothing.
    func isLater(than other: QueryTimestamp, by date: Date) -> Bool {
        if other.date > date { return instant > other.instant }
        return self.date > other.date && self.date <= date
    }

    func age(at now: QueryInstant) -> Duration { instant.duration(to: now) }
}
