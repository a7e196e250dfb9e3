/// Ends a call from outside, also before it has a task.
///
/// ``MutationLines`` ends calls in two steps, ``request(_:)`` and ``carryOutEnd()``. A cancelled caller gives up its own call with ``giveUp()``. The
/// first end counts, and none counts after the call has succeeded.
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
        /// Removes the layers of the call.
        var removeLayers: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

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

    func carryOutEnd() {
        let (task, removeLayers, ending) = state.withLock { state -> (Task<Void, Never>?, (@Sendable () -> Void)?, Promise<Void>?) in
            if state.end == nil { return (nil, nil, nil) }
            defer { state.removeLayers = nil }
            return (state.task, state.removeLayers, state.ending)
        }
        removeLayers?()
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

    /// Sets the closure that removes the layers of the call, and calls it if an end was requested before.
    func attach(removeLayers: @escaping @Sendable () -> Void) {
        let isTooLate = state.withLock { state in
            if state.end == nil { state.removeLayers = removeLayers }
            return state.end != nil
        }
        if isTooLate { removeLayers() }
    }

    /// Removes the layers of a call that has failed. Does nothing if ``carryOutEnd()`` will remove them, in the order of the calls.
    func fail() {
        let removeLayers = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.end == nil || state.isGivenUp else { return nil }
            defer { state.removeLayers = nil }
            return state.removeLayers
        }
        removeLayers?()
    }

    /// Notes that the call has succeeded.
    func succeed() {
        // Release the closure outside the lock: its deinit may run arbitrary code.
        _ = state.withLock { state in
            state.hasSucceeded = true
            defer { state.removeLayers = nil }
            return state.removeLayers
        }
    }
}
