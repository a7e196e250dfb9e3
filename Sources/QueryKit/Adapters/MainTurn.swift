import Foundation

#if !canImport(Darwin)
    import Dispatch
#endif

/// Brings what changed to mirrors and shared queries: everything that changed since the last time, in one job of the main actor.
///
/// There is one for the whole process. A job is requested only when a store that is shown has news; until it has run, a ``WorkToken`` of the
/// store's client keeps `settled()` waiting.
final class MainTurn: Sendable {
    static let shared = MainTurn()

    private struct State {
        var shown: [ObjectIdentifier: WeakShownStore] = [:]
        /// The clients whose stores have news.
        var hosts: [ObjectIdentifier: any StoreHost] = [:]
        var calls: [Call] = []
        /// Counts the news that a job has put off.
        var tokens: [WorkToken] = []
        var isRequested = false
    }

    /// Something else to do in the next job.
    private struct Call: Sendable {
        let token: WorkToken
        let action: @MainActor @Sendable () -> Void
    }

    private let state = Lock(State())

    // MARK: What is shown

    /// What the main actor shows of a store; the same object as long as anything shows the store.
    func shownStore(_ core: StoreCore) -> ShownStore {
        state.withLock { state in
            if let shown = state.shown[ObjectIdentifier(core)]?.shown { return shown }
            let shown = ShownStore(core)
            state.shown[ObjectIdentifier(core)] = WeakShownStore(shown: shown)
            return shown
        }
    }

    func forget(_ core: StoreCore) {
        // Another object may have taken the place of the released one. If this was its last reference, it ends outside the lock.
        _ = state.withLock { state -> ShownStore? in
            if let other = state.shown[ObjectIdentifier(core)]?.shown { return other }
            state.shown[ObjectIdentifier(core)] = nil
            return nil
        }
    }

    // MARK: Jobs

    /// Requests a job that shows what is new in the stores of a client.
    func request(for host: any StoreHost) {
        request { $0.hosts[ObjectIdentifier(host)] = host }
    }

    /// Requests a job that, besides, does something else.
    func request(countedBy host: any StoreHost, _ action: @escaping @MainActor @Sendable () -> Void) {
        let call = Call(token: host.work.begin(), action: action)
        request { $0.calls.append(call) }
    }

    private func request(_ note: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            note(&state)
            defer { state.isRequested = true }
            return !state.isRequested
        }
        guard isFirst else { return }
        // The task has no owner: it does one thing and ends. Detached, so that it holds none of the caller's task-local values, with the
        // priority of what users see.
        Task.detached(priority: .userInitiated) { @MainActor in self.carryOut() }
    }

    @MainActor private func carryOut() {
        let (hosts, calls, tokens) = state.withLock { state in
            // First of all: a change that comes from now on is worth another job.
            state.isRequested = false
            defer { (state.hosts, state.calls, state.tokens) = ([:], [], []) }
            return (Array(state.hosts.values), state.calls, state.tokens)
        }
        for host in hosts { update(host, mayWait: true) }
        for call in calls {
            call.action()
            call.token.end()
        }
        for token in tokens { token.end() }
    }

    /// Shows the present state of a client's stores at once, because the caller wrote to one of them.
    @MainActor func show(_ host: any StoreHost) { update(host, mayWait: false) }

    /// Takes over the states of all stores first, and tells observers afterwards: they find one moment wherever they look.
    @MainActor private func update(_ host: any StoreHost, mayWait: Bool) {
        let all = state.withLock { state in state.shown.values.compactMap(\.shown) }
        let stores = all.filter { $0.core.host === host }
        // Before the states are read: what comes later is news.
        let tokens = stores.compactMap { $0.takeNews() }
        guard let (states, companions) = states(of: stores.map(\.core), host, mayWait: mayWait) else { return putOff(host, tokens) }
        let observers = zip(stores, states).map { $0.show($1, with: companions[$0.core.ticket] == nil ? [:] : companions) }
        for observe in observers.joined() { observe() }
        // Last of all: what observers wrote in turn counts by itself.
        for token in tokens { token.end() }
    }

    /// What a store shows that is looked at for the first time in this turn: its present state, unless another consistent store is shown. Then it
    /// is the one of that moment, so that a list and its total agree, although the client may know more by now.
    func firstLook(at core: StoreCore) -> (state: SessionState, companions: [StoreTicket: SessionState]) {
        guard core.isConsistent else { return (SessionState(of: core), [:]) }
        let others = state.withLock { state in state.shown.values.compactMap(\.shown) }
        for other in others where other.core.host === core.host && other.core !== core {
            let companions = other.companions
            guard let companion = companions[core.ticket], !companion.isOfEndedSession else { continue }
            let present = SessionState(of: core)
            // Without a value there is nothing to disagree with.
            let isEmpty = companion.box.current == nil && present.box.current == nil
            return (isEmpty ? present : companion, companions)
        }
        guard let (states, companions) = states(of: [core], core.host, mayWait: false) else { return (SessionState(of: core), [:]) }
        return (states[0], companions)
    }

    /// The states of some stores at one moment, and those of all consistent stores: no change of their client falls between two of them. `nil` while
    /// a change of several stores is half done.
    private func states(
        of stores: [StoreCore],
        _ host: any StoreHost,
        mayWait: Bool
    ) -> (states: [SessionState], companions: [StoreTicket: SessionState])? {
        let consistent = host.consistentStores
        let all = stores + consistent
        var tries = 0
        while true {
            tries += 1
            let (moment, joint) = (host.moment, host.jointChanges)
            if moment == nil || joint == nil, mayWait { return nil }
            // First: a session that ends in between is noticed, because a state then counts as one of the session that has ended.
            let sessions = all.map(\.session)
            let boxes = mayWait ? all.map(\.box) : StateBox.now(of: all)
            // Changes may come faster than stores are read; then a later job shows what is missing. Only what changes together is shown together.
            guard !mayWait || host.moment == moment || tries >= 8 && host.jointChanges == joint else { continue }
            let states = zip(sessions, boxes).map { SessionState(session: $0, box: $1) }
            let companions = zip(consistent, states.dropFirst(stores.count)).map { ($0.ticket, $1) }
            return (Array(states.prefix(stores.count)), Dictionary(companions) { first, _ in first })
        }
    }

    /// Shows the news of a client once the change that is half done is complete.
    private func putOff(_ host: any StoreHost, _ tokens: [WorkToken]) {
        state.withLock { $0.tokens += tokens }
        host.whenWhole { self.request(for: host) }
    }

    // MARK: The main thread

    #if canImport(Darwin)
        private init() {}

        /// Whether the caller runs on the main thread.
        static var isCurrent: Bool { Thread.isMainThread }
    #else
        private static let mainQueue = DispatchSpecificKey<Bool>()

        private init() { DispatchQueue.main.setSpecific(key: Self.mainQueue, value: true) }

        /// Whether the caller runs on the main thread, or in a job of the main queue, which another thread may carry out here.
        static var isCurrent: Bool { Thread.isMainThread || shared.isMainQueue }

        // By way of the object, so that the queue is marked before it is asked.
        private var isMainQueue: Bool { DispatchQueue.getSpecific(key: Self.mainQueue) == true }
    #endif
}

private struct WeakShownStore: Sendable {
    weak var shown: ShownStore?
}
