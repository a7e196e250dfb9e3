import Foundation

/// How the system clock notices that it was set.
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
        /// Linux reports a jump only through a descriptor that Swift can't make (timerfd_create(2)), so the clocks are compared once a minute.
        private static let jumps = SystemObserver<Int> { reports in
            let lead = Lock(SystemClock().lead)
            return DispatchWatch.everySeconds(60) {
                let now = SystemClock().lead
                // A clock that a time server slews doesn't jump.
                if abs(now - lead.exchange(now)) > 1 { reports.send(0) }
            }
        }

        /// By how much the wall clock is ahead of the monotonic one.
        private var lead: TimeInterval { date.timeIntervalSince1970 - QueryInstant.zero.duration(to: now).seconds }
    #endif
}
