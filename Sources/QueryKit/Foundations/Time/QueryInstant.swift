/// A point in time on a monotonic clock, in nanoseconds from an origin that only its clock knows.
///
/// Arithmetic saturates: no duration, however long, overflows it.
public struct QueryInstant: Hashable, Comparable, Sendable {
    let nanoseconds: Int64

    /// The origin of the clock.
    public static let zero = QueryInstant(nanoseconds: 0)

    /// Later than everything: a deadline that never comes.
    public static let never = QueryInstant(nanoseconds: .max)

    public static func < (left: QueryInstant, right: QueryInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `duration` later, or ``never`` when that is out of range.
    public func advanced(by duration: Duration) -> QueryInstant { later(by: Nanoseconds(duration)) }

    /// The time from this instant to another; negative when the other one is earlier.
    public func duration(to other: QueryInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        if overflow { return other.nanoseconds < nanoseconds ? .nanoseconds(Int64.min) : .infinity }
        return .nanoseconds(difference)
    }
}

extension Duration {
    /// Longer than anything that is measured: a time to live of `.infinity` never ages, a retention of `.infinity` never ends.
    public static let infinity = Duration.seconds(Int64.max)

    /// Nanoseconds, held at the ends of the range instead of overflowing.
    package var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : total
    }
}
