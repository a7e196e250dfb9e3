/// A histogram of durations. The width of its buckets grows with the durations, so its size is constant.
///
/// There are sixteen buckets for each doubling, so a quantile is at most 3.2 % off. Durations under 16 ns are exact, and so is the longest
/// duration. Durations over 39 hours share one bucket.
struct LatencyHistogram: Equatable, Sendable {
    private static let subdivisionBits = 4
    private static let subdivisions = 1 << subdivisionBits
    /// The exponent of a power of two: durations under that many nanoseconds, about 39 hours, are distinguished.
    private static let highestBit = 47
    private static let bucketCount = (highestBit - subdivisionBits + 1) * subdivisions

    /// Empty until the first duration is noted, then of constant size.
    private var buckets: [UInt32] = []

    /// How many durations were noted.
    private(set) var count = 0

    private var longest: UInt64 = 0

    mutating func note(_ duration: Duration) { note(nanoseconds: duration.saturatedNanoseconds) }

    /// Notes a duration that is given in nanoseconds, because creating a `Duration` and taking it apart costs more than noting it.
    mutating func note(nanoseconds: Int64) {
        let nanoseconds = UInt64(max(nanoseconds, 0))
        if buckets.isEmpty { buckets = [UInt32](repeating: 0, count: Self.bucketCount) }
        let bucket = Self.bucket(of: nanoseconds)
        // The count of a full bucket stays the same. Filling a bucket takes four billion durations of similar length.
        if buckets[bucket] < .max { buckets[bucket] += 1 }
        count += 1
        longest = max(longest, nanoseconds)
    }

    /// The smallest duration that this share of all durations doesn't exceed: `0.95` for p95. `nil` if nothing was noted.
    func quantile(_ share: Double) -> Duration? {
        guard count > 0 else { return nil }
        let rank = max(Int((share * Double(count)).rounded(.up)), 1)
        if rank >= count { return .nanoseconds(Int64(clamping: longest)) }
        var seen = 0
        for (bucket, number) in buckets.enumerated() where number > 0 {
            seen += Int(number)
            if seen >= rank { return .nanoseconds(Int64(min(Self.middle(of: bucket), longest))) }
        }
        return .nanoseconds(Int64(clamping: longest))
    }

    /// Adds all durations of another histogram.
    mutating func merge(_ other: LatencyHistogram) {
        guard other.count > 0 else { return }
        if buckets.isEmpty {
            self = other
            return
        }
        for index in buckets.indices {
            let (sum, overflow) = buckets[index].addingReportingOverflow(other.buckets[index])
            buckets[index] = overflow ? .max : sum
        }
        count += other.count
        longest = max(longest, other.longest)
    }

    /// Removes all durations, and keeps the memory.
    mutating func removeAll() {
        guard count > 0 else { return }
        for index in buckets.indices { buckets[index] = 0 }
        count = 0
        longest = 0
    }

    // MARK: Buckets

    private static func bucket(of nanoseconds: UInt64) -> Int {
        if nanoseconds < UInt64(subdivisions) { return Int(nanoseconds) }
        let power = UInt64.bitWidth - 1 - nanoseconds.leadingZeroBitCount
        guard power < highestBit else { return bucketCount - 1 }
        let part = Int(nanoseconds >> UInt64(power - subdivisionBits)) & (subdivisions - 1)
        return (power - subdivisionBits + 1) * subdivisions + part
    }

    private static func middle(of bucket: Int) -> UInt64 {
        if bucket < subdivisions { return UInt64(bucket) }
        let shift = UInt64(bucket / subdivisions - 1)
        let start = UInt64(subdivisions + bucket % subdivisions) << shift
        return start + (1 << shift) / 2
    }
}
