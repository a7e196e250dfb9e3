#if canImport(Darwin) || os(Linux)
    import Dispatch

    /// Sources of Dispatch as subscriptions. Their handlers are called one after the other, on one queue for all.
    enum DispatchWatch {
        static let queue = DispatchQueue(label: "QueryKit.system")

        // Invariant: nothing is done with the source but to cancel it, which Dispatch allows on any thread.
        private struct Active: @unchecked Sendable {
            let source: any DispatchSourceProtocol
        }

        /// Calls `action` whenever a source has something to tell. The subscription owns the source, with which nothing else is done from now on.
        static func start(_ source: any DispatchSourceProtocol, _ action: @escaping @Sendable () -> Void) -> QuerySubscription {
            source.setEventHandler(handler: action)
            source.activate()
            let active = Active(source: source)
            return QuerySubscription { active.source.cancel() }
        }

        /// Calls `action` once an interval, give or take a half, so that the system may wake up for several things at once.
        static func everySeconds(_ interval: Int, _ action: @escaping @Sendable () -> Void) -> QuerySubscription {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .seconds(interval), repeating: .seconds(interval), leeway: .milliseconds(interval * 500))
            return start(timer, action)
        }
    }
#endif
