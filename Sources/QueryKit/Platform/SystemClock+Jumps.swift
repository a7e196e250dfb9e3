import Foundation

/// Detects when the system clock was set.
extension SystemClock {
    public func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription {
        #if canImport(Darwin) || os(Linux)
            Self.jumps.observe { _ in handler() }
        #else
            QuerySubscription {}
        #endif
    }

    #if canImport(Darwin)
        private static let jumps = SystemObserver<Int> { reports in
            NotificationWatch.start(.NSSystemClockDidChange) { reports.send(0) }
        }
    #elseif os(Linux)
        /// Linux reports a jump only through a descriptor that Swift can't create (timerfd_create(2)), so the clocks are compared once a
        /// minute.
        private static let jumps = SystemObserver<Int> { reports in
            let lead = Lock(SystemClock().lead)
            return DispatchWatch.everySeconds(60) {
                let now = SystemClock().lead
                // A gradual adjustment by a time server is not a jump.
                if abs(now - lead.exchange(now)) > 1 { reports.send(0) }
            }
        }

        /// How far the wall clock is ahead of the monotonic clock.
        private var lead: TimeInterval { date.timeIntervalSince1970 - QueryInstant.zero.duration(to: now).seconds }
    #endif
}
