public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The clock of a client, which determines ages, deadlines, retry delays and timeouts.
///
/// Apps use ``SystemClock``, the default; tests use ``ManualClock``, which they advance explicitly.
public protocol QueryClock: Sendable {
    /// Monotonic time. It never jumps back, and continues while the device sleeps.
    var now: QueryInstant { get }

    /// Wall time, such as `Date.now`.
    var date: Date { get }

    /// Calls `action` once, as soon as `now` reaches `deadline`, unless the alarm is cancelled first.
    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm

    /// Calls `handler` each time the wall clock is set, so that `date` jumps and `now` doesn't, until the subscription ends.
    ///
    /// The default implementation never calls the handler. With this default, if the user sets the clock to another day, the change of the
    /// day is detected only when the old day would have ended.
    func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription
}

extension QueryClock {
    public func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription { QuerySubscription {} }
}

/// A call that a clock has scheduled; see ``QueryClock/schedule(at:_:)``.
public struct QueryAlarm: Sendable {
    private let onCancel: @Sendable () -> Void

    /// Creates the handle that a clock returns. `onCancel` may be called several times, on any thread.
    public init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    /// Cancels the action, if it has not begun.
    public func cancel() { onCancel() }
}

/// The clock of the system.
public struct SystemClock: QueryClock {
    /// Creates the clock. All instances share one origin.
    public init() {}

    public var now: QueryInstant {
        // Reads the same clock as `ContinuousClock`, without its 128-bit arithmetic, which costs as much as the call.
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
        // Detached: a timer started inside a request must not keep that request's task-locals alive. The alarm owns and cancels the task.
        let task = Task.detached {
            while now < deadline {
                // A sleep of centuries overflows on some platforms, so a long sleep is split into years.
                try await Task.sleep(for: min(now.duration(to: deadline), .seconds(365 * 24 * 3600)))
            }
            // A task that starts after the deadline doesn't sleep, so check whether it was cancelled before.
            try Task.checkCancellation()
            action()
        }
        return QueryAlarm { task.cancel() }
    }
}
