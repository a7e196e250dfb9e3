import QueryKit

/// Lanes that are acquired for a while, to read a snapshot on them more than once.
extension Lanes {
    /// Acquires a lane for a snapshot until ``release(_:)``. Waits for one if necessary.
    func acquire() async throws -> Lane {
        let (number, isClosed) = state.withLock { state in
            (state.isClosed ? nil : state.schedule.acquire(.snapshot), state.isClosed)
        }
        if isClosed { throw Self.closedError }
        if let number { return lanes[number] }
        let box = ResultBox<Lane>()
        try await perform(LaneJob(acquiringLaneInto: box), .snapshot)
        return box.take()
    }

    /// Registers a closure that releases an acquired lane when the database must pause. Returns false if it is paused already.
    func addHolder(_ holder: AnyObject, release: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.schedule.isPaused || state.isClosed { return false }
            state.holders[ObjectIdentifier(holder)] = release
            return true
        }
    }

    func removeHolder(_ holder: AnyObject) {
        // The closure may have the last reference to the holder, so release it outside the lock.
        _ = state.withLock { $0.holders.removeValue(forKey: ObjectIdentifier(holder)) }
    }

    func release(_ lane: Lane) { if let next = finish(lane) { start(next, on: lane) } }
}
