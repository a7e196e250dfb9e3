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

    /// Whether callers' threads are used at all.
    var usesCallersThreads: Bool { quickLimit > 0 && !callersThreads.isOff }

    /// Begins work on the current thread that is known to be short. Returns false if it must run on a lane's thread. Otherwise
    /// ``CallersThreadLimiter/leave(after:)`` must follow.
    func enterCallersThread(_ isolation: (any Actor)?) -> Bool {
        usesCallersThreads && callersThreads.enter(isolation, acceptsLast: false).isGranted
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
        let limit = limit(for: kind)
        switch admission {
        case .quick, .tiny: break
        case .refused: return .declined(isLong: false)
        case .afterYield:
            guard state.withLock({ $0.costs[site].isTiny(limit) }) else { return .declined(isLong: false) }
            callersThreads.yield()
            return .afterYield
        }
        // If the work throws, its task may read again at once, without suspending.
        var usedTime = CallersThreadUse.lastLimit
        defer { callersThreads.leave(after: usedTime) }
        let number = state.withLock { state -> Int? in
            let cost = state.costs[site]
            guard !state.isClosed, admission == .tiny ? cost.isTiny(limit) : cost.isQuick(limit) else { return nil }
            return state.schedule.acquire(kind)
        }
        guard let number else {
            usedTime = 0
            return .declined(isLong: false)
        }
        let lane = lanes[number]
        var time: ReadTime?
        defer {
            if let next = finish(lane, site, time, kind, onCallersThread: true) { start(next, on: lane) }
        }
        guard let connection = lane.openConnection else {
            usedTime = 0
            return .declined(isLong: false)
        }
        do {
            try work(connection, admission == .tiny ? .lastThread : .callersThread)
            time = connection.readTime
            usedTime = connection.readTime.nanoseconds
            return .done
        } catch let move as ReadMove {
            usedTime = 0
            return .declined(isLong: move.isLong)
        }
    }
}
