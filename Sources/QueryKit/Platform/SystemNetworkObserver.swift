#if canImport(Darwin) || os(Linux)
    /// The network as the system sees it.
    final class SystemNetworkObserver: NetworkObserver {
        static let shared = SystemNetworkObserver()

        #if canImport(Darwin)
            private let watch = SharedWatch<Bool> { NetworkPath.watch($0) }
        #else
            private let watch = SharedWatch<Bool> { NetworkChanges.watch($0) }
        #endif

        /// What the watch said last. It speaks a moment after it began at the earliest, and until then the interfaces tell: a mutation that
        /// is made at launch must not take the network for granted (R24).
        var isOnline: Bool { watch.latest ?? NetworkInterfaces.isOnline }

        func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription { watch.observe(handler) }
    }
#endif
