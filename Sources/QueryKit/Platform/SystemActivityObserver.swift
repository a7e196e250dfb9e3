#if canImport(Darwin) || os(Linux)
    /// Whether the app is in use, as the system sees it. A program on Linux always is.
    final class SystemActivityObserver: ActivityObserver {
        static let shared = SystemActivityObserver()

        #if canImport(Darwin)
            private let watch = SharedWatch(true) { AppActivity.watch($0) }

            var isActive: Bool { AppActivity.isActive }

            func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { watch.observe(handler) }
        #else
            var isActive: Bool { true }

            func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { QuerySubscription {} }
        #endif
    }
#endif
