#if canImport(Darwin)
    import Network

    /// The system's path to the network, on Apple platforms.
    enum NetworkPath {
        /// The monitor speaks first a moment after it began. What listeners know by then they have found out elsewhere, so that is told in any case.
        static func watch(_ tell: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            // A monitor that was cancelled can not begin again, so each watch has its own.
            let monitor = NWPathMonitor()
            let changes = ChangeFilter<Bool>(nil)
            monitor.pathUpdateHandler = { path in
                // A path that has to be opened first, such as that of a tunnel on demand, is opened by the request itself.
                let isOnline = path.status != .unsatisfied
                if changes.passes(isOnline) { tell(isOnline) }
            }
            monitor.start(queue: DispatchWatch.queue)
            return QuerySubscription { monitor.cancel() }
        }
    }
#endif
