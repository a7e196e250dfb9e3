#if canImport(Darwin) || os(Linux)
    import Dispatch

    /// Dispatch sources as subscriptions. All handlers are called on one serial queue.
    enum DispatchWatch {
        static let queue = DispatchQueue(label: "QueryKit.system")

        // Invariant: the source is only cancelled, which Dispatch allows on any thread.
        private struct Active: @unchecked Sendable {
            let source: any DispatchSourceProtocol
        }

        /// Calls `action` at each event of a source. The subscription owns the source; don't use the source elsewhere afterwards.
        static func start(_ source: any DispatchSourceProtocol, _ action: @escaping @Sendable () -> Void) -> QuerySubscription {
            source.setEventHandler(handler: action)
            source.activate()
            let active = Active(source: source)
            return QuerySubscription { active.source.cancel() }
        }

        /// Calls `action` once per interval, with a leeway of half the interval, so that the system can combine wake-ups.
        static func everySeconds(_ interval: Int, _ action: @escaping @Sendable () -> Void) -> QuerySubscription {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + .seconds(interval), repeating: .seconds(interval), leeway: .milliseconds(interval * 500))
            return start(timer, action)
        }
    }
#endif
