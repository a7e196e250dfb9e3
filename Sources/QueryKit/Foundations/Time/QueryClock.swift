public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The time that a client lives by: ages, deadlines, retry delays and timeouts all pass through it.
///
/// An app uses ``SystemClock``, the default; a test uses ``ManualClock`` and moves it by hand.
public protocol QueryClock: Sendable {
    /// Monotonic time: never jumps back, and goes on while the device sleeps.
    var now: QueryInstant { get }

    /// Wall time: what `Date.now` would say.
    var date: Date { get }

    /// Calls `action` once, as soon as `now` has reached `deadline`, unless the alarm is cancelled before.
    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm

    /// Calls `handler` each time the wall clock was set, so that `date` jumped while `now` went on, until the subscription ends.
    ///
    /// Default: never. Without it, a day that begins because the user set the clock is noticed only when the old day would have ended.
    func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription
}

extension QueryClock {
    public func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription { QuerySubscription {} }
}

/// A call that a clock will make; see ``QueryClock/schedule(at:_:)``.
public struct QueryAlarm: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates the handle that a clock returns. `onCancel` may be called often and on any thread.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    /// Calls the action off, if it has not begun.
    public func cancel() { onCancel() }
}

/// The clock of the machine.
public struct SystemClock: QueryClock {
    /// Creates the clock. All of them share one origin.
    public init() {}

    public var now: QueryInstant {
        // What ContinuousClock reads, without its arithmetic in 128 bits, which costs as much as the call.
        var time = timespec()
        clock_gettime(Self.source, &time)
        return QueryInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    #if canImport(Darwin)
        private static var source: clockid_t { CLOCK_MONOTONIC_RAW }
    #else
        private static var source: clockid_t { CLOCK_BOOTTIME }
    #endif

    public var date: Date { Date() }

    public func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        // Detached: a timer begun inside a request must not keep that request's task-locals alive.
        // The alarm owns the task, and cancelling the alarm ends it.
        let task = Task.detached {
            while now < deadline {
                // A sleep of centuries overflows on some platforms, so a long one is made of years.
                try await Task.sleep(for: min(now.duration(to: deadline), .seconds(365 * 24 * 3600)))
            }
            // A task that starts late finds its time come, and may have been cancelled before.
            try Task.checkCancellation()
            action()
        }
        return QueryAlarm { task.cancel() }
    }
}
