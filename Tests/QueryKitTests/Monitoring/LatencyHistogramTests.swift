import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct LatencyHistogramTests {
    enum Distribution: CaseIterable {
        case uniform, exponential, twoHumps, powers, constant

        func sample(_ dice: inout Dice) -> Int64 {
            switch self {
            case .uniform: Int64.random(in: 0...50_000_000, using: &dice)
            case .exponential: Int64(-1e6 * log(Double.random(in: 1e-9...1, using: &dice)))
            case .twoHumps:
                Bool.random(using: &dice) ? .random(in: 20_000...30_000, using: &dice) : .random(in: 8_000_000...9_000_000, using: &dice)
            case .powers: 1 << Int64.random(in: 0...46, using: &dice)
            case .constant: 1_234_567
            }
        }
    }

    @Test(arguments: Distribution.allCases) func `R27 quantiles are within 5 % of those of a sorted array`(_ distribution: Distribution)
        throws
    {
        var dice = Dice(seed: 27)
        for size in [1, 2, 19, 1_000, 20_000] {
            var histogram = LatencyHistogram()
            var samples: [Int64] = []
            for _ in 0..<size {
                let sample = distribution.sample(&dice)
                samples.append(sample)
                histogram.note(.nanoseconds(sample))
            }
            samples.sort()
            for share in [0, 0.01, 0.5, 0.9, 0.95, 0.99, 1] {
                let rank = max(Int((share * Double(size)).rounded(.up)), 1)
                let exact = Double(samples[rank - 1])
                let estimate = try #require(histogram.quantile(share)).seconds * 1e9
                #expect(abs(estimate - exact) <= exact * 0.05 + 0.5, "\(share) of \(size)")
            }
            #expect(histogram.count == size)
        }
    }

    @Test func `R27 merged histograms equal one that recorded all values`() {
        var dice = Dice(seed: 3)
        var (one, two, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for index in 0..<5_000 {
            let duration = Duration.nanoseconds(Distribution.exponential.sample(&dice))
            if index.isMultiple(of: 3) { one.note(duration) } else { two.note(duration) }
            both.note(duration)
        }
        var merged = LatencyHistogram()
        merged.merge(one)
        merged.merge(LatencyHistogram())
        merged.merge(two)
        #expect(merged == both)
    }

    @Test func `R27 short durations are exact`() {
        for nanoseconds in Int64(0)..<16 {
            var histogram = LatencyHistogram()
            histogram.note(.nanoseconds(nanoseconds))
            #expect(histogram.quantile(0.5) == .nanoseconds(nanoseconds))
        }
    }

    @Test func `R27 an empty histogram has no quantiles, even after it was emptied`() {
        var histogram = LatencyHistogram()
        #expect(histogram.quantile(0.5) == nil)
        histogram.note(.seconds(1))
        histogram.removeAll()
        #expect(histogram.quantile(0.5) == nil)
        #expect(histogram.count == 0)
        histogram.note(.milliseconds(1))
        #expect(histogram.quantile(1) == .milliseconds(1))
    }

    @Test func `R27 durations out of range count as the nearest one in range`() throws {
        var histogram = LatencyHistogram()
        histogram.note(.seconds(-5))
        #expect(histogram.quantile(1) == .zero)
        histogram.note(.infinity)
        #expect(try #require(histogram.quantile(1)) > .seconds(39 * 3_600 - 7_200))
        histogram.note(.nanoseconds(Int64.min))
        #expect(histogram.count == 3)
    }
}
