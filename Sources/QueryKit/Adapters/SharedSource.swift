import Observation

/// What all copies of a shared query have in common: its client, its store and its subscription, each from the moment it is needed.
final class SharedSource<State: QueryStateProtocol>: Observable, Sendable {
    private enum Listening: Sendable {
        case none
        /// A reader is subscribing. Others may have read in the meantime, and may not have been told what changed.
        case beginning(hasOtherReaders: Bool)
        case lasting(MainActorSubscription<State>)
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

    /// On the main thread the state of this turn, elsewhere the state of the store at this moment. Reading it subscribes, and is observed.
    var state: State {
        // Register the access before reading: a change in between is then announced.
        registrar.access(self, keyPath: \.state)
        let store = self.store
        let relay = relay(of: store)
        guard MainTurn.isCurrent else { return store.state }
        return relay?.state ?? store.state(of: MainTurn.shared.shownStore(store.core).box)
    }

    /// The subscription; `nil` while another thread is making it.
    private func relay(of store: QueryStore<State>) -> MainActorSubscription<State>? {
        let (relay, isFirst) = parts.withLock { parts -> (MainActorSubscription<State>?, Bool) in
            switch parts.listening {
            case .none:
                parts.listening = .beginning(hasOtherReaders: false)
                return (nil, true)
            case .beginning:
                parts.listening = .beginning(hasOtherReaders: true)
                return (nil, false)
            case .lasting(let relay):
                return (relay, false)
            }
        }
        // One subscription is enough, and a second one might fetch again.
        return isFirst ? listen(to: store) : relay
    }

    private func listen(to store: QueryStore<State>) -> MainActorSubscription<State> {
        let relay = MainActorSubscription(store) { [weak self] in self?.announce() }
        let hasOtherReaders = parts.withLock { parts in
            defer { parts.listening = .lasting(relay) }
            if case .beginning(true) = parts.listening { return true }
            return false
        }
        if hasOtherReaders { announceLater() }
        return relay
    }

    /// Shows what was written just now, if the main thread wrote it; otherwise it shows a moment later.
    func catchUp() {
        guard MainTurn.isCurrent else { return }
        let host = store.core.host
        MainActor.assumeIsolated { MainTurn.shared.show(host) }
    }

    /// Tells readers in the next turn that there is another state. Without a store nothing was read.
    func announceLater() {
        guard let host = parts.withLock({ $0.store })?.core.host else { return }
        MainTurn.shared.request(countedBy: host) { self.announce() }
    }

    /// Tells readers that there is another state.
    @MainActor private func announce() { registrar.withMutation(of: self, keyPath: \.state) {} }

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
