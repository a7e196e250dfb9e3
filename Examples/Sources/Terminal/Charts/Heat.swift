/// A value among others, as one of five levels.
package struct Heat: Hashable, Sendable {
    package static let levels = 5

    /// Values up to this one have the lowest level.
    package let low: Double

    /// Values from this one on have the highest level.
    package let high: Double

    /// Creates levels between the minimum and the maximum. With many values, a twentieth at either end is left out, so that one outlier
    /// doesn't make all other days look alike.
    package init(of values: [Double]) {
        let sorted = values.sorted()
        let outliers = sorted.count < 20 ? 0 : sorted.count / 20
        low = sorted.isEmpty ? 0 : sorted[outliers]
        high = sorted.isEmpty ? 0 : sorted[sorted.count - 1 - outliers]
    }

    /// From 0 to 4; the middle if all values are equal.
    package func level(of value: Double) -> Int {
        guard high > low else { return Self.levels / 2 }
        return min(max(Int((value - low) / (high - low) * Double(Self.levels)), 0), Self.levels - 1)
    }
}
