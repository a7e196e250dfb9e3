import Foundation

/// Threads that compute without a pause, as another program does that keeps the cores busy.
final class BusyThreads: Sendable {
    private let isOver = Guarded(false)

    /// Starts the threads, which run until ``stop()``.
    init(_ count: Int) {
        for _ in 0..<count { Thread { [isOver] in Self.spin(until: isOver) }.start() }
    }

    func stop() { isOver.withLock { $0 = true } }

    private static func spin(until isOver: Guarded<Bool>) {
        while !isOver.withLock(\.self) { Computation.perform(10_000) }
    }
}

/// A computation that uses a processor and nothing else.
enum Computation {
    static func perform(_ steps: Int) {
        var number: UInt64 = 1
        for _ in 0..<steps { number = number &* 6_364_136_223_846_793_005 &+ 1 }
        discard(number)
    }

    /// The number of steps that take this many nanoseconds on an idle processor.
    static func steps(for nanoseconds: Double) -> Int {
        let sample = 1_000_000
        var fastest = Double.infinity
        for _ in 0..<20 {
            let start = ContinuousClock().now
            perform(sample)
            fastest = min(fastest, (ContinuousClock().now - start).nanoseconds)
        }
        return max(1, Int(Double(sample) * nanoseconds / fastest))
    }
}
