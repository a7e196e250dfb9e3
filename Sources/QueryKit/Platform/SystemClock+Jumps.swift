import Foundation

/// How the machine's clock notices that somebody set it.
extension SystemClock {
    public func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription {
        #if canImport(Darwin) || os(Linux)
            Self.jumps.observe { _ in handler() }
        #else
            QuerySubscription {}
        #endif
    }

    #if canImport(Darwin)
        private static let jumps = SharedWatch<Int> { tell in NotificationWatch.start(.NSSystemClockDidChange) { tell(0) } }
    #elseif os(Linux)
        /// Linux tells only who has a descriptor for it that Swift can not make (timerfd_create(2)), so we look once a minute.
        private static let jumps = SharedWatch<Int> { tell in
            let lead = Lock(SystemClock().lead)
            return DispatchWatch.everySeconds(60) {
                let now = SystemClock().lead
                let former = lead.withLock { lead in
                    defer { lead = now }
                    return lead
                }
                // Being slewed by a time server is no jump.
                if abs(now - former) > 1 { tell(0) }
            }
        }

        /// By how much the wall clock is ahead of the monotonic one.
        private var lead: TimeInterval { date.timeIntervalSince1970 - QueryInstant.zero.duration(to: now).seconds }
    #endif
}
