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
        var number: UInt64 = 1
        while !isOver.withLock(\.self) {
            for _ in 0..<10_000 { number = number &* 6_364_136_223_846_793_005 &+ 1 }
            discard(number)
        }
    }
}
