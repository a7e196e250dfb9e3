import Foundation

#if !canImport(Darwin)
    import Dispatch
#endif

/// Updates mirrors and shared queries: one job of the main actor shows all changes since the previous job.
///
/// There is one instance per process. A job is requested only when a shown store has changed; until the job has run, a ``WorkToken`` of the
/// store's client keeps `settled()` waiting.
final class MainTurn: Sendable {
    static let shared = MainTurn()

    private struct State {
        var shown: [ObjectIdentifier: WeakShownStore] = [:]
        /// The clients whose shown stores have changed.
        var hosts: [ObjectIdentifier: any StoreHost] = [:]
        var calls: [Call] = []
        /// The work tokens of changes that a job has postponed.
        var tokens: [WorkToken] = []
        var isRequested = false
    }

    /// An additional action for the next job.
    private struct Call: Sendable {
        let token: WorkToken
        let action: @MainActor @Sendable () -> Void
    }

    private let state = Lock(State())

    // MARK: Shown stores

    /// The state of a store that the main actor shows. Returns the same object as long as anything shows the store.
    func shownStore(_ core: StoreCore) -> ShownStore {
        state.withLock { state in
            if let shown = state.shown[ObjectIdentifier(core)]?.shown { return shown }
            let shown = ShownStore(core)
            state.shown[ObjectIdentifier(core)] = WeakShownStore(shown: shown)
            return shown
        }
    }

    func forget(_ core: StoreCore) {
        // Another object may have replaced the released one. Return it, so that a last reference to it is released outside the lock.
        _ = state.withLock { state -> ShownStore? in
            if let other = state.shown[ObjectIdentifier(core)]?.shown { return other }
            state.shown[ObjectIdentifier(core)] = nil
            return nil
        }
    }

    // MARK: Jobs

    /// Requests a job that shows the changes in the stores of a client.
    func request(for host: any StoreHost) {
        request { $0.hosts[ObjectIdentifier(host)] = host }
    }

    /// Requests a job that also calls an action.
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
        // The task has no owner: it does one thing and ends. It is detached, so that it has none of the caller's task-local values, and has
        // the priority of user-visible work.
        Task.detached(priority: .userInitiated) { @MainActor in self.carryOut() }
    }

    @MainActor private func carryOut() {
        let (hosts, calls, tokens) = state.withLock { state in
            // Reset this first, so that any later change requests another job.
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

    /// Shows the current states of a client's stores immediately, because the caller wrote to one of them.
    @MainActor func show(_ host: any StoreHost) { update(host, mayWait: false) }

    /// Takes over the states of all stores, then calls observers, so that they see all stores as of the same moment.
    @MainActor private func update(_ host: any StoreHost, mayWait: Bool) {
        let all = state.withLock { state in state.shown.values.compactMap(\.shown) }
        let stores = all.filter { $0.core.host === host }
        // Take the changes before the states are read: later changes request another job.
        let tokens = stores.compactMap { $0.takeChange() }
        guard let (states, companions) = states(of: stores.map(\.core), host, mayWait: mayWait) else { return putOff(host, tokens) }
        let observers = zip(stores, states).map { $0.show($1, with: companions[$0.core.ticket] == nil ? [:] : companions) }
        for observe in observers.joined() { observe() }
        // End the tokens last. Changes that observers made have tokens of their own.
        for token in tokens { token.end() }
    }

    /// The state for a store that is read for the first time in this turn. Usually it is the current state. If another consistent store is
    /// already shown, it is the state as of the same moment, so that a list and its total agree, even if the client has newer states by
    /// now.
    func firstLook(at core: StoreCore) -> (state: SessionState, companions: [StoreTicket: SessionState]) {
        guard core.isConsistent else { return (SessionState(of: core), [:]) }
        let others = state.withLock { state in state.shown.values.compactMap(\.shown) }
        for other in others where other.core.host === core.host && other.core !== core {
            let companions = other.companions
            guard let companion = companions[core.ticket], !companion.isOfEndedSession else { continue }
            let present = SessionState(of: core)
            // Without values, the two can't disagree.
            let isEmpty = companion.box.current == nil && present.box.current == nil
            return (isEmpty ? present : companion, companions)
        }
        guard let (states, companions) = states(of: [core], core.host, mayWait: false) else { return (SessionState(of: core), [:]) }
        return (states[0], companions)
    }

    /// The states of some stores and of all consistent stores, as of one moment. While a change of several stores is only partly done,
    /// returns `nil` if `mayWait` is `true`; otherwise waits up to 50 ms for the change to be complete.
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
            // Read the sessions first: if a session ends in between, the state counts as one of the ended session.
            let sessions = all.map(\.session)
            let boxes = mayWait ? all.map(\.box) : StateBox.now(of: all)
            // If changes come faster than stores are read, a later job shows the missing ones. Only changes of several stores must appear
            // together.
            guard !mayWait || host.moment == moment || tries >= 8 && host.jointChanges == joint else { continue }
            let states = zip(sessions, boxes).map { SessionState(session: $0, box: $1) }
            let companions = zip(consistent, states.dropFirst(stores.count)).map { ($0.ticket, $1) }
            return (Array(states.prefix(stores.count)), Dictionary(companions) { first, _ in first })
        }
    }

    /// Shows the changes of a client once the current change of several stores is complete.
    private func putOff(_ host: any StoreHost, _ tokens: [WorkToken]) {
        state.withLock { $0.tokens += tokens }
        host.whenWhole { self.request(for: host) }
    }

    // MARK: The main thread

    #if canImport(Darwin)
        private init() {}

        /// Whether the caller runs on the main thread.
        static var isCurrent: Bool { CurrentThread.isMain }
    #else
        private static let mainQueue = DispatchSpecificKey<Bool>()

        private init() { DispatchQueue.main.setSpecific(key: Self.mainQueue, value: true) }

        /// Whether the caller runs on the main thread, or in a job of the main queue, which another thread may execute here.
        static var isCurrent: Bool { CurrentThread.isMain || shared.isMainQueue }

        // Accessed through the instance, so that the queue is marked before the check.
        private var isMainQueue: Bool { DispatchQueue.getSpecific(key: Self.mainQueue) == true }
    #endif
}

private struct WeakShownStore: Sendable {
    weak var shown: ShownStore?
}
