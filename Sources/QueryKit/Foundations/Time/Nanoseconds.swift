/// A length of time as instants reckon with it. A `Duration` reckons in 128 bits, which costs as much as the rest of a look at the clock.
struct Nanoseconds: Hashable, Comparable, Sendable {
    let count: Int64

    static let zero = Nanoseconds(count: 0)

    /// Longer than anything that is measured.
    static let infinity = Nanoseconds(count: .max)

    init(count: Int64) { self.count = count }

    /// The length of a duration, held at the ends of the range instead of overflowing.
    init(_ duration: Duration) { count = duration.saturatedNanoseconds }

    static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.count < right.count }
}

extension QueryInstant {
    /// The instant that much later, or ``never`` when that is out of range.
    func later(by time: Nanoseconds) -> QueryInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(time.count)
        if overflow { return time < .zero ? QueryInstant(nanoseconds: .min) : .never }
        return QueryInstant(nanoseconds: sum)
    }
}
