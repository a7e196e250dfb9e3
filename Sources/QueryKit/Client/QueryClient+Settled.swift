public import Foundation

/// The work that was outstanding when `settled(timeout:)` gave up.
public struct QueryUnsettledError: Error, CustomStringConvertible {
    /// A request whose run, or mutation call, is outstanding.
    public struct Work: Sendable {
        /// The path of the request.
        public let path: QueryPath

        /// The cause of the run.
        public let cause: QueryCause

        /// When the run began, by the clock of the client; `nil` for the call of a mutation, and for a run that is just beginning or
        /// ending.
        public let since: Date?
    }

    /// The requests with outstanding work.
    public let work: [Work]

    /// How many other operations were outstanding: deliveries to the main actor, writes to caches and journals.
    public let otherCount: Int

    /// How long the call waited.
    public let timeout: Duration

    public var description: String {
        var lines = ["Not settled after \(timeout)."]
        lines += work.map { "\($0.path) runs (\($0.cause))" + ($0.since.map { " since \($0)" } ?? "") + "." }
        if otherCount > 0 { lines.append("Other outstanding deliveries or writes: \(otherCount).") }
        return lines.joined(separator: " ")
    }
}

extension QueryClient {
    /// Waits like ``settled()``, but at most for `timeout` of real time, even if the client has another clock.
    ///
    /// Throws a ``QueryUnsettledError`` that lists the outstanding work, or a `CancellationError` if the waiting task is cancelled.
    public func settled(timeout: Duration) async throws {
        let work = core.work
        let waiting = Task.detached { await work.settled() }
        let clock = SystemClock()
        let alarm = clock.schedule(at: clock.now.advanced(by: timeout)) { waiting.cancel() }
        defer { alarm.cancel() }
        let isSettled = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        if isSettled { return }
        try Task.checkCancellation()
        throw core.unsettled(after: timeout)
    }
}

extension ClientCore {
    fileprivate func unsettled(after timeout: Duration) -> QueryUnsettledError {
        let work = state.withLock { $0.registry.runningStores() }.compactMap { $0.work }
        return QueryUnsettledError(
            work: work.sorted { $0.path.description < $1.path.description },
            otherCount: max(self.work.count - work.count, 0),
            timeout: timeout
        )
    }
}

extension StoreCore {
    /// The outstanding work of the store; `nil` if there is none, or if it waits for time, the network or other runs.
    fileprivate var work: QueryUnsettledError.Work? {
        let (isAtWork, cause, start) = contents.withLock { contents -> (Bool, QueryCause, QueryInstant?) in
            let isAtWork = contents.run.map { $0.activity != .waiting } ?? (contents.machine.privateRuns > 0)
            return (isAtWork, contents.run?.start.cause ?? contents.state.record.cause, contents.run?.trace?.start)
        }
        guard isAtWork else { return nil }
        let clock = context.clock
        let since = start.map { clock.date.addingTimeInterval(-$0.duration(to: clock.now).seconds) }
        return QueryUnsettledError.Work(path: path, cause: cause, since: since)
    }
}
