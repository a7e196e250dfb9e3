/// A point in time on a monotonic clock, in nanoseconds since an origin that depends on the clock.
///
/// Arithmetic saturates, so no duration causes an overflow.
public struct QueryInstant: Hashable, Comparable, Sendable {
    let nanoseconds: Int64

    /// The origin of the clock.
    public static let zero = QueryInstant(nanoseconds: 0)

    /// Later than all other instants. A deadline that is never reached.
    public static let never = QueryInstant(nanoseconds: .max)

    public static func < (left: QueryInstant, right: QueryInstant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant that is later by `duration`, or ``never`` if it is out of range.
    public func advanced(by duration: Duration) -> QueryInstant { later(by: Nanoseconds(duration)) }

    /// The time from this instant to another; negative if the other one is earlier.
    public func duration(to other: QueryInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        if overflow { return other.nanoseconds < nanoseconds ? .nanoseconds(Int64.min) : .infinity }
        return .nanoseconds(difference)
    }
}

extension Duration {
    /// Longer than any measured time: a value with a time to live of `.infinity` never ages, and a retention of `.infinity` never ends.
    public static let infinity = Duration.seconds(Int64.max)

    /// The duration in nanoseconds, clamped to the range of `Int64`.
    package var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (total, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || carry ? (seconds < 0 ? .min : .max) : total
    }
}
