/// The state of a store that mirrors and shared queries show on the main actor until the next job of ``MainTurn``.
final class ShownStore: Sendable {
    typealias Observer = @MainActor @Sendable () -> Void

    private struct State {
        /// `nil` until it is looked at for the first time.
        var box: StateBox?
        /// Counts the news that the box doesn't have yet.
        var token: WorkToken?
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
    }

    let core: StoreCore
    private let state = Lock(State())

    init(_ core: StoreCore) { self.core = core }

    deinit { MainTurn.shared.forget(core) }

    /// What is shown; the state of this moment when it is looked at for the first time.
    var box: StateBox {
        state.withLock { state in
            if let box = state.box { return box }
            let box = core.box
            state.box = box
            return box
        }
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
            guard let box = state.box, box.record.revision < revision else { return false }
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
    func show(_ box: StateBox) -> [Observer] {
        // The former state leaves the lock before it ends: its value may be anything.
        let (former, observers) = state.withLock { state -> (StateBox?, [Observer]) in
            guard let former = state.box else { return (nil, []) }
            state.box = box
            return (former, Array(state.observers.values))
        }
        guard let former else { return [] }
        let isSame = former.record.revision == box.record.revision && former.record.flags == box.record.flags
        return isSame ? [] : observers
    }
}
