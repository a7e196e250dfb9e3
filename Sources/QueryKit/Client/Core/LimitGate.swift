/// Makes runs wait until the limits of the client let them work.
final class LimitGate: RunGate {
    private struct State: Sendable {
        var limits: RunLimits
        /// The runs that wait in the queue.
        var waiting: [Int: Promise<Void>] = [:]

        /// Removes the runs that may work now from the queue.
        mutating func release(_ granted: [Int]) -> [Promise<Void>] { granted.compactMap { waiting.removeValue(forKey: $0) } }
    }

    /// The priorities of the runs in the queue, in order of arrival, for tests.
    var waitingPriorities: [UInt8] { state.withLock { state in state.waiting.keys.sorted().compactMap { state.limits.priority(of: $0) } } }

    private let patterns: [QueryPattern]
    private let state: Lock<State>

    init(_ limits: [QueryClient.Configuration.Limit]) {
        patterns = limits.map(\.pattern)
        state = Lock(State(limits: RunLimits(limits.map(\.count))))
    }

    func enter(_ run: StoreRun, of store: StoreCore) async throws -> QuerySubscription? {
        // Mutations have queues of their own.
        guard !run.start.isMutation else { return nil }
        let path = run.request.path
        let wanted = patterns.indices.filter { patterns[$0].matches(path) }
        guard !wanted.isEmpty else { return nil }
        let promise = Promise<Void>()
        let outer = outer(of: store)
        let priority = Task.currentPriority.rawValue
        let (id, isGranted) = state.withLock { state in
            let pass = outer.map { state.limits.level(of: $0) }.max() ?? -1
            let (id, isGranted) = state.limits.enter(ObjectIdentifier(store), priority: priority, wanted: wanted, pass: pass)
            if !isGranted { state.waiting[id] = promise }
            return (id, isGranted)
        }
        let place = QuerySubscription { self.leave(id) }
        if isGranted { return place }
        // Code that began to wait for this run just before the run joined the queue could not notify this gate.
        letPass([ObjectIdentifier(store)], for: self.outer(of: store))
        if !run.start.isPrivate, let priority = store.runPriority { raise(store, to: priority) }
        // The cancellation handler removes the run immediately: a cancelled run must not hold up others.
        try await withTaskCancellationHandler {
            try await promise.get()
        } onCancel: {
            place.cancel()
        }
        return place
    }

    /// A limit: how many runs it allows, how many of its places are taken, and the stores whose runs wait for it, in order.
    struct Line: Sendable {
        let pattern: QueryPattern
        let capacity: Int
        let taken: Int
        let waiting: [ObjectIdentifier]
    }

    /// The limits with their queues, for an inspector.
    var lines: [Line] {
        state.withLock { state in
            patterns.indices.map { index in
                Line(
                    pattern: patterns[index],
                    capacity: state.limits.capacity(index),
                    taken: state.limits.taken(index),
                    waiting: state.limits.waiting(index).compactMap { state.limits.owner(of: $0) }
                )
            }
        }
    }

    func raise(_ store: StoreCore, to priority: TaskPriority) {
        state.withLock { $0.limits.raise(ObjectIdentifier(store), to: priority.rawValue) }
    }

    func noteWait(of waiting: StoreCore, for store: StoreCore) {
        // A run that joins the queue later checks its waits itself.
        guard state.withLock({ !$0.waiting.isEmpty }) else { return }
        letPass(WaitGraph.all(awaitedBy: store), for: WaitGraph.all(waitingFor: waiting))
    }

    /// The stores whose runs wait for a store, without that store itself.
    private func outer(of store: StoreCore) -> Set<ObjectIdentifier> {
        var stores = store.host.waits.isEmpty ? [] : WaitGraph.all(waitingFor: store)
        stores.remove(ObjectIdentifier(store))
        return stores
    }

    private func letPass(_ inner: Set<ObjectIdentifier>, for outer: Set<ObjectIdentifier>) {
        let released = state.withLock { state -> [Promise<Void>] in
            let level = outer.map { state.limits.level(of: $0) }.max() ?? -1
            guard level >= 0 else { return [] }
            return state.release(inner.flatMap { state.limits.letPass($0, upTo: level) })
        }
        for promise in released { promise.resolve(.success(())) }
    }

    private func leave(_ id: Int) {
        let released = state.withLock { state in
            state.waiting[id] = nil
            return state.release(state.limits.leave(id))
        }
        for promise in released { promise.resolve(.success(())) }
    }
}
