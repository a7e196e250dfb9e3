/// The numbers along an axis: round numbers that enclose all values.
package struct Scale: Hashable, Sendable {
    package let ticks: [Double]

    package var range: ClosedRange<Double> { (ticks.first ?? 0)...(ticks.last ?? 1) }

    /// - Parameters:
    ///   - intervals: The maximum number of intervals; there is always at least one.
    ///   - startsAtZero: True for bars, whose lengths are compared.
    package init(of values: [Double], intervals: Int, startsAtZero: Bool) {
        let finite = values.filter(\.isFinite)
        let high = finite.max() ?? 0
        let low = startsAtZero ? min(0, finite.min() ?? 0) : finite.min() ?? 0
        let span = high > low ? high - low : max(abs(high), 1)
        let step = Self.roundStep(above: span / Double(max(1, intervals)))
        var start = (low / step).rounded(.down) * step
        if high <= low, !startsAtZero, start > 0 { start = max(0, start - step) }
        var ticks = [start]
        while (ticks.last ?? high) < high || ticks.count < 2, ticks.count < 100 { ticks.append(start + step * Double(ticks.count)) }
        self.ticks = ticks
    }

    /// The position of a value, from 0 at the start to 1 at the end.
    package func position(of value: Double) -> Double {
        let range = range
        guard range.upperBound > range.lowerBound else { return 0 }
        return min(max((value - range.lowerBound) / (range.upperBound - range.lowerBound), 0), 1)
    }

    /// 1, 2 or 5 times a power of ten.
    private static func roundStep(above least: Double) -> Double {
        guard least.isFinite, least > 0 else { return 1 }
        var power = 1.0
        while power > least { power /= 10 }
        while power * 10 <= least { power *= 10 }
        return [1, 2, 5, 10].map { $0 * power }.first { $0 >= least } ?? power * 10
    }
}
