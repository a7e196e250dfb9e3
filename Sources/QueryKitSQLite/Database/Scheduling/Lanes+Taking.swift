import QueryKit

/// Lanes that are taken for a while, to read on them more than once.
extension Lanes {
    /// Takes a lane for reading out of the schedule, until ``giveBack(_:)``. Waits for one if necessary.
    func take() async throws -> Lane {
        let (number, isClosed) = state.withLock { state in
            (state.isClosed ? nil : state.schedule.borrow(.read), state.isClosed)
        }
        if isClosed { throw Self.closedError }
        if let number { return lanes[number] }
        let slot = Slot<Lane>()
        try await perform(LaneJob(keepingLaneIn: slot), .read)
        return slot.take()
    }

    /// Registers a closure that gives a taken lane back when the database must pause. Returns false if it is paused already.
    func note(_ taker: AnyObject, giveBack: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.schedule.isPaused || state.isClosed { return false }
            state.takers[ObjectIdentifier(taker)] = giveBack
            return true
        }
    }

    func forget(_ taker: AnyObject) {
        // The closure may hold the last reference to the taker, so release it outside the lock.
        _ = state.withLock { $0.takers.removeValue(forKey: ObjectIdentifier(taker)) }
    }

    func giveBack(_ lane: Lane) { if let next = finish(lane) { start(next, on: lane) } }
}
