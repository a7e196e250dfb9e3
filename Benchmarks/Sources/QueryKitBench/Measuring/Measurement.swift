/// What was found out about one case, per operation.
struct Measurement {
    enum Unit: String {
        case nanoseconds = "ns"
        case bytes
    }

    let name: String
    let unit: Unit
    let median: Double
    let p95: Double
    /// Of cases whose samples are single operations; `nil` of those that are batches.
    var p99: Double?
    /// Allocations of all threads; `nil` where they can not be counted.
    let allocations: Double?
    /// The median of the floor, if the case has one.
    let floor: Double?

    var ratio: Double? { floor.map { median / $0 } }
}

/// A sample of equal measurements.
struct Samples {
    private var values: [Double] = []

    /// - Parameter capacity: How many will come; appending them allocates nothing.
    init(capacity: Int) { values.reserveCapacity(capacity) }

    mutating func append(_ value: Double) { values.append(value) }

    /// The value that a share of all values does not exceed.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
