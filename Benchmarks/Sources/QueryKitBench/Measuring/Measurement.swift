/// The result of one case, per operation.
struct Measurement {
    enum Unit: String {
        case nanoseconds = "ns"
        case bytes
    }

    let name: String
    let unit: Unit
    let median: Double
    let p95: Double
    /// For cases whose samples are single operations; `nil` if they are batches.
    var p99: Double?
    /// The allocations of all threads; `nil` where they can't be counted.
    let allocations: Double?
    /// The median of the floor, or its p95 if the case compares that; `nil` if the case has no floor.
    let floor: Double?
    /// Whether the case and its floor are compared by their p95 instead of their medians.
    var comparesTails = false

    var ratio: Double? { floor.map { (comparesTails ? p95 : median) / $0 } }
}

/// Repeated measurements of one quantity.
struct Samples {
    private var values: [Double] = []

    /// - Parameter capacity: The number of expected values, so that appending them allocates nothing.
    init(capacity: Int) { values.reserveCapacity(capacity) }

    mutating func append(_ value: Double) { values.append(value) }

    /// The value that a given share of all values doesn't exceed.
    func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        let rank = Int((share * Double(sorted.count)).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
