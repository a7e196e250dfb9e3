/// A state of a store, with the session that it belongs to, or with an earlier session.
struct SessionState: Sendable {
    let session: WeakOwner?
    let box: StateBox

    var isOfEndedSession: Bool { session?.isEnded == true }
}

extension SessionState {
    /// The current state of a store.
    init(of core: StoreCore) {
        // Read the session first: if it ends in between, the state counts as one of the ended session.
        let session = core.session
        self.init(session: session, box: core.box)
    }
}

extension StoreCore {
    /// The current session of the store.
    var session: WeakOwner? { contents.withBasis { basis, _ in basis.base.context.owner } }
}

/// The state of a store that mirrors and shared queries show on the main actor, until the next job of ``MainTurn``.
final class ShownStore: Sendable {
    typealias Observer = @MainActor @Sendable () -> Void

    private struct State {
        /// `nil` until it is first read.
        var shown: SessionState?
        /// The states of all consistent stores of the client at that moment, if this store is consistent. They are shown when those stores
        /// are first read.
        var companions: [StoreTicket: SessionState] = [:]
        /// Whether a reader has seen a state before the observers were notified of it.
        var isAhead = false
        /// The work token of changes that are not shown yet.
        var token: WorkToken?
        var observers: [Int: Observer] = [:]
        var nextObserver = 0

        /// The state that may still be shown; `nil` before the first read and after the end of the session.
        var box: StateBox? { shown.flatMap { $0.isOfEndedSession ? nil : $0.box } }
    }

    let core: StoreCore
    private let state = Lock(State())

    init(_ core: StoreCore) { self.core = core }

    deinit { MainTurn.shared.forget(core) }

    /// The shown state. ``MainTurn/firstLook(at:)`` determines it at the first read, and again after the session of the shown state has
    /// ended: data of that session must not be shown again, not even for the rest of a turn.
    var box: StateBox {
        if let box = state.withLock({ $0.box }) { return box }
        // The lock is not held here, because other stores are read, too.
        let first = MainTurn.shared.firstLook(at: core)
        // Release the previous state outside the lock: deallocating its value may run arbitrary code.
        let (box, former) = state.withLock { state -> (StateBox, SessionState?) in
            if let box = state.box { return (box, nil) }
            let former = state.shown
            (state.shown, state.companions) = (first.state, first.companions)
            if former != nil {
                state.isAhead = true
                if state.token == nil { state.token = core.host.work.begin() }
            }
            return (first.state.box, former)
        }
        if former != nil { MainTurn.shared.request(for: core.host) }
        // Changes before the first read may not have been noted.
        noteChange(core.box.record.revision)
        return box
    }

    /// The states of all consistent stores as of the moment of the shown state; empty before the first read.
    var companions: [StoreTicket: SessionState] { state.withLock { $0.box == nil ? [:] : $0.companions } }

    /// Adds an observer, which is called after the shown state has changed.
    func add(_ observer: @escaping Observer) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = observer
            return state.nextObserver
        }
    }

    func remove(_ number: Int) {
        // Release the observer outside the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// Notes that the store has published a state.
    func noteChange(_ revision: Int) {
        let isNew = state.withLock { state in
            // The state was not read yet, or this revision is already shown.
            guard let shown = state.shown, shown.box.record.revision < revision else { return false }
            if state.token == nil { state.token = core.host.work.begin() }
            return true
        }
        if isNew { MainTurn.shared.request(for: core.host) }
    }

    /// Takes the token of the pending changes. The caller shows them.
    func takeChange() -> WorkToken? {
        state.withLock { state in
            defer { state.token = nil }
            return state.token
        }
    }

    /// Shows a state from now on. Returns the observers to notify, if the state differs from the previous one.
    func show(_ present: SessionState, with companions: [StoreTicket: SessionState]) -> [Observer] {
        // Release the previous state outside the lock: deallocating its value may run arbitrary code.
        let (former, isAhead, observers) = state.withLock { state -> (SessionState?, Bool, [Observer]) in
            guard let former = state.shown else { return (nil, false, []) }
            defer { (state.shown, state.companions, state.isAhead) = (present, companions, false) }
            return (former, state.isAhead, Array(state.observers.values))
        }
        guard let former = former?.box.record else { return [] }
        let isSame = former.revision == present.box.record.revision && former.flags == present.box.record.flags
        return isSame && !isAhead ? [] : observers
    }
}
