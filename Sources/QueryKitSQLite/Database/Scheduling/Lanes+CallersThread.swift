import QueryKit

/// Reads and writes on the caller's thread: switching to a lane and back takes several times as long as a short read.
extension Lanes {
    /// The result of an attempt to run on the caller's thread.
    enum Outcome {
        case done
        /// Other tasks must run first. Then the work may be tried again.
        case afterYield
        /// The work must run on a lane; true if it is long.
        case declined(isLong: Bool)
    }

    /// Reads or writes on the current thread if possible: outside actors and the main thread, at a source location that has been quick so
    /// far, on an idle connection, and while few other reads use callers' threads.
    ///
    /// - Parameter work: Gets the connection, and the executor with the limits of this thread.
    func performOnCallersThread(
        _ kind: Kind,
        _ site: ReadSite,
        _ isolation: (any Actor)?,
        _ work: (Connection, ReadPlacement.Executor) throws -> Void
    ) throws -> Outcome {
        let admission = callersThreads.enter(isolation, acceptsLast: kind == .read)
        guard admission.isGranted else { return admission == .afterYield ? .afterYield : .declined(isLong: false) }
        var time: ReadTime?
        // A read that is declined suspends its task, so other tasks run.
        defer { callersThreads.leave(after: time?.nanoseconds ?? 0) }
        let number = state.withLock { state -> Int? in
            let (cost, limit) = (state.costs[site], limit(for: kind))
            guard !state.isClosed, admission == .tiny ? cost.isTiny(limit) : cost.isQuick(limit) else { return nil }
            return state.schedule.acquire(kind)
        }
        guard let number else { return .declined(isLong: false) }
        let lane = lanes[number]
        defer {
            if let next = finish(lane, site, time, kind, onCallersThread: true) { start(next, on: lane) }
        }
        guard let connection = lane.openConnection else { return .declined(isLong: false) }
        do {
            try work(connection, admission == .tiny ? .lastThread : .callersThread)
            time = connection.readTime
            return .done
        } catch let move as ReadMove {
            return .declined(isLong: move.isLong)
        }
    }
}
