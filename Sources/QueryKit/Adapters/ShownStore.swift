/// A state of a store, and the session that it belongs to, or one before that.
struct SessionState: Sendable {
    let session: WeakOwner?
    let box: StateBox

    /// The present state.
    init(of core: StoreCore) {
        // First: a session that ends in between is noticed, because the state then counts as one of the session that has ended.
        session = core.contents.withBasis { basis, _ in basis.base.context.owner }
        box = core.box
    }

    var isOfEndedSession: Bool { session?.isEnded == true }
}

/// The state of a store that mirrors and shared queries show on the main actor until the next job of ``MainTurn``.
final class ShownStore: Sendable {
    typealias Observer = @MainActor @Sendable () -> Void

    private struct State {
        /// `nil` until it is looked at for the first time.
        var shown: SessionState?
        /// Whether a reader has already seen another state than the observers were told of.
        var isAhead = false
        /// Counts the news that the box doesn't have yet.
        var token: WorkToken?
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
    }

    let core: StoreCore
    private let state = Lock(State())

    init(_ core: StoreCore) { self.core = core }

    deinit { MainTurn.shared.forget(core) }

    /// What is shown; the state of this moment when it is looked at for the first time, and when the session of what was shown has ended: nothing of
    /// it shows again, not even for the rest of a turn.
    var box: StateBox {
        // The former state leaves the lock before it ends: its value may be anything.
        let (box, former) = state.withLock { state -> (StateBox, SessionState?) in
            if let shown = state.shown, !shown.isOfEndedSession { return (shown.box, nil) }
            let former = state.shown
            let present = SessionState(of: core)
            state.shown = present
            if former != nil {
                state.isAhead = true
                if state.token == nil { state.token = core.host.work.begin() }
            }
            return (present.box, former)
        }
        if former != nil { MainTurn.shared.request(for: core.host) }
        return box
    }

    /// Adds an observer, which is called after what is shown has changed.
    func add(_ observer: @escaping Observer) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = observer
            return state.nextObserver
        }
    }

    func remove(_ number: Int) {
        // The observer leaves the lock before it ends.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    /// The store has published a state.
    func noteNews(_ revision: Int) {
        let isNew = state.withLock { state in
            // The state was not read yet, or this revision has been shown.
            guard let shown = state.shown, shown.box.record.revision < revision else { return false }
            if state.token == nil { state.token = core.host.work.begin() }
            return true
        }
        if isNew { MainTurn.shared.request(for: core.host) }
    }

    /// Ends the state of having news; the caller shows them.
    func takeNews() -> WorkToken? {
        state.withLock { state in
            defer { state.token = nil }
            return state.token
        }
    }

    /// Shows a state from now on. Returns whom to tell, if it is another than before.
    func show(_ present: SessionState) -> [Observer] {
        // The former state leaves the lock before it ends: its value may be anything.
        let (former, isAhead, observers) = state.withLock { state -> (SessionState?, Bool, [Observer]) in
            guard let former = state.shown else { return (nil, false, []) }
            defer { (state.shown, state.isAhead) = (present, false) }
            return (former, state.isAhead, Array(state.observers.values))
        }
        guard let former = former?.box.record else { return [] }
        let isSame = former.revision == present.box.record.revision && former.flags == present.box.record.flags
        return isSame && !isAhead ? [] : observers
    }
}
