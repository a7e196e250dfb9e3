#if canImport(Darwin) || os(Linux)
    /// The network as the system sees it.
    final class SystemNetworkObserver: NetworkObserver {
        static let shared = SystemNetworkObserver()

        #if canImport(Darwin)
            private let watch = SharedWatch(true) { NetworkPath.watch($0) }

            var isOnline: Bool { NetworkPath.isOnline }
        #else
            private let watch = SharedWatch(true) { NetworkInterfaces.watch($0) }

            var isOnline: Bool { NetworkInterfaces.isOnline }
        #endif

        func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { watch.observe(handler) }
    }
#endif
