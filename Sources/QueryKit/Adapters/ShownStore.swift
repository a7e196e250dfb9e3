/// A state of a store, and the session that it belongs to, or one before that.
struct SessionState: Sendable {
    let session: WeakOwner?
    let box: StateBox

    var isOfEndedSession: Bool { session?.isEnded == true }
}

extension SessionState {
    /// The present state.
    init(of core: StoreCore) {
        // First: a session that ends in between is noticed, because the state then counts as one of the session that has ended.
        let session = core.session
        self.init(session: session, box: core.box)
    }
}

extension StoreCore {
    /// The session that it is in.
    var session: WeakOwner? { contents.withBasis { basis, _ in basis.base.context.owner } }
}

/// The state of a store that mirrors and shared queries show on the main actor until the next job of ``MainTurn``.
final class ShownStore: Sendable {
    typealias Observer = @MainActor @Sendable () -> Void

    private struct State {
        /// `nil` until it is looked at for the first time.
        var shown: SessionState?
        /// What all consistent stores of the client had at that moment, if this is one of them. They show it when they are looked at for the first time.
        var companions: [StoreTicket: SessionState] = [:]
        /// Whether a reader has already seen another state than the observers were told of.
        var isAhead = false
        /// Counts the news that the box doesn't have yet.
        var token: WorkToken?
        var observers: [Int: Observer] = [:]
        var nextObserver = 0

        /// What may still be shown; `nil` before the first look and after the end of the session.
        var box: StateBox? { shown.flatMap { $0.isOfEndedSession ? nil : $0.box } }
    }

    let core: StoreCore
    private let state = Lock(State())

    init(_ core: StoreCore) { self.core = core }

    deinit { MainTurn.shared.forget(core) }

    /// What is shown; ``MainTurn/firstLook(at:)`` decides when it is looked at for the first time, and when the session of what was shown has ended:
    /// nothing of it shows again, not even for the rest of a turn.
    var box: StateBox {
        if let box = state.withLock({ $0.box }) { return box }
        // The lock is free meanwhile: other stores are read too.
        let first = MainTurn.shared.firstLook(at: core)
        // The former state leaves the lock before it ends: its value may be anything.
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
        // What came before the first look may have been news to none.
        noteNews(core.box.record.revision)
        return box
    }

    /// The states that all consistent stores had when that of this one was taken over; none before the first look.
    var companions: [StoreTicket: SessionState] { state.withLock { $0.box == nil ? [:] : $0.companions } }

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
    func show(_ present: SessionState, with companions: [StoreTicket: SessionState]) -> [Observer] {
        // The former state leaves the lock before it ends: its value may be anything.
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
