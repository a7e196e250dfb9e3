import Foundation

/// Ends a call from outside, also before it has a task.
///
/// ``MutationLines`` ends calls in three steps: ``request(_:)``, ``takeLayered()`` and ``carryOutEnd()``. A cancelled caller gives up its own
/// call with ``giveUp()``. The first end counts, and none counts after the call has succeeded.
final class CallCancellation: EndableCall {
    private struct State {
        var end: MutationLines.End?
        /// Resolved by ``carryOutEnd()`` when the layers are removed.
        var ending: Promise<Void>?
        /// Whether its own caller was cancelled. Then the call removes its layers itself.
        var isGivenUp = false
        /// Whether the call has succeeded. An end that is requested later is ignored.
        var hasSucceeded = false
        var task: Task<Void, Never>?
        /// The stores that show layers of the call.
        var layered: [StoreCore] = []
    }

    let id: UUID
    private let state = Lock(State())

    init(of id: UUID) { self.id = id }

    var isRequested: Bool { state.withLock { $0.end != nil } }

    /// Whether the call was left in the journal; see ``MutationLines/End``.
    var isLeft: Bool { state.withLock { $0.end == .left } }

    func request(_ end: MutationLines.End) {
        state.withLock { state in
            guard !state.hasSucceeded, state.end == nil else { return }
            (state.end, state.ending) = (end, Promise())
        }
    }

    /// Withdraws the call because its caller was cancelled. Safe in a cancellation handler: takes a lock and calls no foreign code.
    func giveUp() {
        state.withLock { state in
            guard !state.hasSucceeded, state.end == nil else { return }
            (state.end, state.isGivenUp) = (.withdrawn, true)
        }
    }

    func takeLayered() -> [StoreCore] {
        state.withLock { state in
            if state.end == nil { return [] }
            defer { state.layered = [] }
            return state.layered
        }
    }

    func carryOutEnd() {
        let (task, ending) = state.withLock { state in
            state.end == nil ? (nil, nil) : (state.task, state.ending)
        }
        ending?.resolve(.success(()))
        task?.cancel()
    }

    /// Returns after ``carryOutEnd()``, so that a call ends only after its layers are removed. Returns at once if no end was requested.
    func carriedOut() async {
        guard let ending = state.withLock({ $0.ending }) else { return }
        // In a new task: the task of the call is cancelled, so waiting in it would throw at once.
        await Task { try? await ending.get() }.value
    }

    /// Sets the task of the call, and cancels it if an end was requested before.
    func attach(_ task: Task<Void, Never>) {
        let isTooLate = state.withLock { state in
            state.task = task
            return state.end != nil
        }
        if isTooLate { task.cancel() }
    }

    /// Sets the stores that show layers of the call. Returns `false` if an end was requested before: then the call removes its layers itself.
    func attach(layered: [StoreCore]) -> Bool {
        state.withLock { state in
            if state.end == nil { state.layered = layered }
            return state.end == nil
        }
    }

    /// Notes that the call has failed. Returns the stores from which it has to remove its layers. There are none if ``MutationLines`` ends the
    /// call, because that removes the layers of all calls that end together.
    func fail() -> [StoreCore] {
        state.withLock { state in
            guard state.end == nil || state.isGivenUp else { return [] }
            defer { state.layered = [] }
            return state.layered
        }
    }

    /// Notes that the call has succeeded.
    func succeed() {
        // Release the stores outside the lock: the last reference to one runs its deinit.
        _ = state.withLock { state in
            state.hasSucceeded = true
            defer { state.layered = [] }
            return state.layered
        }
    }
}
