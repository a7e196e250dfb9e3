/// How much something is among others, in five steps.
package struct Heat: Hashable, Sendable {
    package static let levels = 5

    /// What is no more than this is of the lowest level.
    package let low: Double

    /// What is no less than this is of the highest level.
    package let high: Double

    /// Steps between the least and the most; where there are many, a twentieth at either end is left out, so that one feast does not make all
    /// other days look alike.
    package init(of values: [Double]) {
        let sorted = values.sorted()
        let outliers = sorted.count < 20 ? 0 : sorted.count / 20
        low = sorted.isEmpty ? 0 : sorted[outliers]
        high = sorted.isEmpty ? 0 : sorted[sorted.count - 1 - outliers]
    }

    /// From 0 to 4; the middle if all are alike.
    package func level(of value: Double) -> Int {
        guard high > low else { return Self.levels / 2 }
        return min(max(Int((value - low) / (high - low) * Double(Self.levels)), 0), Self.levels - 1)
    }
}
