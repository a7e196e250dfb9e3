/// A length of time in 64 bits, for arithmetic with instants. A `Duration` has 128 bits; its arithmetic would double the cost of reading
/// the clock.
struct Nanoseconds: Hashable, Comparable, Sendable {
    let count: Int64

    static let zero = Nanoseconds(count: 0)

    /// Longer than any measured time.
    static let infinity = Nanoseconds(count: .max)

    init(count: Int64) { self.count = count }

    /// The length of a duration, clamped to the range.
    init(_ duration: Duration) { count = duration.saturatedNanoseconds }

    static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.count < right.count }
}

extension QueryInstant {
    /// The instant that is `time` after this one, or ``never`` if that is too late to represent.
    func later(by time: Nanoseconds) -> QueryInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(time.count)
        if overflow { return time < .zero ? QueryInstant(nanoseconds: .min) : .never }
        return QueryInstant(nanoseconds: sum)
    }
}
