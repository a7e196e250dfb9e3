import Foundation

/// The calls of mutations that are on their way in a client: where they stand in line, and how to cancel them.
final class MutationLines: Sendable {
    private struct State {
        var scopes = ScopeLines()
        /// Those that wait to be called up.
        var waiting: [Place: Waiting] = [:]
        var active: [UUID: Call] = [:]
    }

    private struct Call {
        let path: QueryPath
        /// The session in which it was made.
        let session: WeakOwner?
        let cancel: @Sendable () -> Void
    }

    /// A call may stand in several lines, one after the other.
    private struct Place: Hashable {
        let scope: String
        let id: UUID
    }

    private struct Waiting {
        let promise: Promise<Void>
        /// Counts the call as working again, before the call that woke it stops counting.
        let wake: @Sendable () -> Void
        /// Takes the pass of the call before it.
        let hold: @Sendable (QuerySubscription) -> Void
    }

    private let state = Lock(State())

    // MARK: Lines

    /// Takes a place in a line; `nil` if it is the first.
    func enter(
        _ scope: String,
        _ id: UUID,
        wake: @escaping @Sendable () -> Void,
        hold: @escaping @Sendable (QuerySubscription) -> Void
    ) -> Promise<Void>? {
        state.withLock { state in
            if state.scopes.enter(scope, id) { return nil }
            let promise = Promise<Void>()
            state.waiting[Place(scope: scope, id: id)] = Waiting(promise: promise, wake: wake, hold: hold)
            return promise
        }
    }

    /// Leaves the line and calls up the next, who takes over the pass with which queries are kept waiting.
    func leave(_ scope: String, _ id: UUID, handing pass: QuerySubscription? = nil) {
        let next = state.withLock { state -> Waiting? in
            state.waiting[Place(scope: scope, id: id)] = nil
            return state.scopes.leave(scope, id).flatMap { state.waiting.removeValue(forKey: Place(scope: scope, id: $0)) }
        }
        if let pass { if let next { next.hold(pass) } else { pass.cancel() } }
        next?.wake()
        next?.promise.resolve(.success(()))
    }

    // MARK: Calls on their way

    func add(_ id: UUID, _ path: QueryPath, in session: WeakOwner?, cancel: @escaping @Sendable () -> Void) {
        state.withLock { $0.active[id] = Call(path: path, session: session, cancel: cancel) }
    }

    func remove(_ id: UUID) {
        // The closure leaves the lock before it ends.
        _ = state.withLock { $0.active.removeValue(forKey: id)?.cancel }
    }

    /// The calls on their way.
    var ids: Set<UUID> { state.withLock { Set($0.active.keys) } }

    /// Whether a call is on its way, so that it is not made twice from the journal.
    func contains(_ id: UUID) -> Bool { state.withLock { $0.active[id] != nil } }

    func cancel(_ id: UUID) { state.withLock { $0.active[id]?.cancel }?() }

    /// Cancels the calls of all mutations that a pattern matches.
    func cancel(matching pattern: QueryPattern) { cancel { pattern.matches($0.path) } }

    /// Cancels the calls of sessions that have ended. Those of the present one go on: the first may come while the last one ends.
    func cancelFormerSessions() { cancel { $0.session?.isEnded == true } }

    private func cancel(where condition: (Call) -> Bool) {
        let calls = state.withLock { Array($0.active.values) }
        for call in calls where condition(call) { call.cancel() }
    }
}
