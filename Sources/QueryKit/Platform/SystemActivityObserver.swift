#if canImport(Darwin) || os(Linux)
    /// Whether the app is in use, as the system sees it. A program on Linux always is.
    final class SystemActivityObserver: ActivityObserver {
        static let shared = SystemActivityObserver()

        #if canImport(Darwin)
            private let watch = SharedWatch<Bool> { AppActivity.watch($0) }

            /// As far as is known: the app counts as active until it is heard to leave. Asking the app itself is for the main thread, and not
            /// for app extensions.
            var isActive: Bool { watch.latest ?? true }

            func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { watch.observe(handler) }
        #else
            var isActive: Bool { true }

            func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { QuerySubscription {} }
        #endif
    }
#endif
