#if canImport(Darwin)
    import Network

    /// The system's path to the network, on Apple platforms.
    enum NetworkPath {
        /// The first report comes a moment after the monitor began.
        static func watch(_ tell: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            // A cancelled monitor can't begin again, so each watch has its own.
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in
                // A path that has to be opened first, such as that of a tunnel on demand, is opened by the request itself.
                tell(path.status != .unsatisfied)
            }
            monitor.start(queue: DispatchWatch.queue)
            return QuerySubscription { monitor.cancel() }
        }
    }
#endif
