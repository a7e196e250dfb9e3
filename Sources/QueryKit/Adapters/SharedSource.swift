import Observation

/// What all copies of a shared query have in common: its client, its store and its subscription, each from the moment it is needed.
final class SharedSource<State: QueryStateProtocol>: Observable, Sendable {
    private enum Listening: Sendable {
        case none
        /// Somebody subscribes just now; others may have read meanwhile, and not have heard what changed.
        case beginning(hasOtherReaders: Bool)
        case lasting(MainRelay)
    }

    private struct Parts: Sendable {
        var client: QueryClient?
        var store: QueryStore<State>?
        var listening = Listening.none
    }

    let identity: QueryIdentity
    private let find: @Sendable (QueryClient) -> QueryStore<State>
    private let parts: Lock<Parts>
    private let registrar = ObservationRegistrar()

    init(_ identity: QueryIdentity, client: QueryClient?, find: @escaping @Sendable (QueryClient) -> QueryStore<State>) {
        self.identity = identity
        self.find = find
        parts = Lock(Parts(client: client ?? .ofTask))
    }

    var client: QueryClient { part(\.client) { .shared } }

    var store: QueryStore<State> { part(\.store) { find(client) } }

    /// The state of the store at this moment. Reading it subscribes, and is seen by those who observe.
    var state: State {
        // First the note that somebody reads, then the reading: what changes in between is announced.
        registrar.access(self, keyPath: \.state)
        let store = self.store
        if beginsListening() { listen(to: store) }
        return store.state
    }

    /// True for the first who asks: one subscription is enough, and a second one might fetch again.
    private func beginsListening() -> Bool {
        parts.withLock { parts in
            switch parts.listening {
            case .none:
                parts.listening = .beginning(hasOtherReaders: false)
                return true
            case .beginning:
                parts.listening = .beginning(hasOtherReaders: true)
                return false
            case .lasting:
                return false
            }
        }
    }

    private func listen(to store: QueryStore<State>) {
        let relay = MainRelay(store) { [weak self] in self?.announce() }
        let hasOtherReaders = parts.withLock { parts in
            defer { parts.listening = .lasting(relay) }
            if case .beginning(true) = parts.listening { return true }
            return false
        }
        if hasOtherReaders { MainHop { self.announce() }.request() }
    }

    /// Tells those who read the state that it is another one.
    @MainActor func announce() { registrar.withMutation(of: self, keyPath: \.state) {} }

    /// Makes what is missing with the lock open; of two that make it at the same time, the first to put it in wins.
    private func part<Part: Sendable>(_ keyPath: WritableKeyPath<Parts, Part?>, make: () -> Part) -> Part {
        if let part = parts.withLock({ $0[keyPath: keyPath] }) { return part }
        let made = make()
        return parts.withLock { parts in
            if let part = parts[keyPath: keyPath] { return part }
            parts[keyPath: keyPath] = made
            return made
        }
    }
}
