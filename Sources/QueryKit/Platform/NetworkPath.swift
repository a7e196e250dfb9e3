#if canImport(Darwin)
    import Network

    /// Reports the status of the system's network path, on Apple platforms.
    enum NetworkPath {
        /// The first report arrives a moment after the monitor has started.
        static func watch(_ notify: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            // A cancelled monitor can't be restarted, so each watch has its own.
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in
                // A path that must be established first, such as an on-demand tunnel, counts as available: the network request itself
                // establishes it.
                notify(path.status != .unsatisfied)
            }
            monitor.start(queue: DispatchWatch.queue)
            return QuerySubscription { monitor.cancel() }
        }
    }
#endif
