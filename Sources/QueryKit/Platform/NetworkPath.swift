#if canImport(Darwin)
    import Network

    /// The system's path to the network, on Apple platforms.
    enum NetworkPath {
        /// What the monitor said last. It speaks only when it watches, and first a moment after it began.
        private static let latest = Lock(true)

        /// Whether there is a network, as far as is known: it counts as there until the system says otherwise.
        static var isOnline: Bool { latest.withLock { $0 } }

        static func watch(_ tell: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            // A monitor that was cancelled can not begin again, so each watch has its own.
            let monitor = NWPathMonitor()
            let changes = ChangeFilter(isOnline)
            monitor.pathUpdateHandler = { path in
                // A path that has to be opened first, such as that of a tunnel on demand, is opened by the request itself.
                let isOnline = path.status != .unsatisfied
                latest.withLock { $0 = isOnline }
                if changes.passes(isOnline) { tell(isOnline) }
            }
            monitor.start(queue: DispatchWatch.queue)
            return QuerySubscription {
                monitor.cancel()
                latest.withLock { $0 = true }
            }
        }
    }
#endif
