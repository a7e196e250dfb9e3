#if canImport(Darwin) || os(Linux)
    import Foundation

    /// The time zone that the system is set to.
    final class SystemTimeZoneObserver: TimeZoneObserver {
        static let shared = SystemTimeZoneObserver()

        #if canImport(Darwin)
            private let watch = SharedWatch<TimeZone> { tell in
                NotificationWatch.start(.NSSystemTimeZoneDidChange) { tell(.autoupdatingCurrent) }
            }

            var timeZone: TimeZone { .autoupdatingCurrent }
        #else
            private let watch = SharedWatch<TimeZone> { TimeZoneLink.system.watch($0) }

            var timeZone: TimeZone { TimeZoneLink.system.timeZone ?? .autoupdatingCurrent }
        #endif

        func observe(_ handler: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription { watch.observe(handler) }
    }
#endif
