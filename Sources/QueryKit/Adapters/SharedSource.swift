import Observation

/// What all copies of a shared query have in common: its client, its store and its subscription, each from the moment it is needed.
final class SharedSource<State: QueryStateProtocol>: Observable, Sendable {
    private enum Listening: Sendable {
        case none
        /// A reader is subscribing. Others may have read in the meantime, and may not have been told what changed.
        case beginning(hasOtherReaders: Bool)
        case lasting(MainActorSubscription<State.StoreState>)
    }

    private struct Parts: Sendable {
        var client: QueryClient?
        /// The client of the task that made the property, for an object that has none of its own.
        let ofTask: QueryClient?
        /// Whether the client is the shared one, because no other was known.
        var isSharedByDefault = false
        var store: QueryStore<State.StoreState>?
        var listening = Listening.none
    }

    let identity: QueryIdentity
    /// What shows while the store has no value, if the property has a default.
    let fallback: State.QueryValue?
    private let find: @Sendable (QueryClient) -> QueryStore<State.StoreState>
    private let parts: Lock<Parts>
    /// Whether the object that has the property was asked for its client.
    private let isBound = Flag()
    private let registrar = ObservationRegistrar()

    init(
        _ identity: QueryIdentity,
        client: QueryClient?,
        default fallback: State.QueryValue? = nil,
        find: @escaping @Sendable (QueryClient) -> QueryStore<State.StoreState>
    ) {
        (self.identity, self.fallback, self.find) = (identity, fallback, find)
        parts = Lock(Parts(client: client, ofTask: client == nil ? .ofTask : nil))
    }

    var client: QueryClient {
        let known = parts.withLock { parts -> QueryClient? in
            if parts.client == nil { parts.client = parts.ofTask }
            return parts.client
        }
        if let known { return known }
        let shared = QueryClient.shared
        return parts.withLock { parts in
            if let client = parts.client { return client }
            (parts.client, parts.isSharedByDefault) = (shared, true)
            return shared
        }
    }

    var store: QueryStore<State.StoreState> { part(\.store) { find(client) } }

    /// Takes the client of the object that has the property, unless the property was given one.
    func bind(to object: AnyObject) {
        if isBound.isRaised { return }
        guard let model = object as? any QueryModel else {
            _ = isBound.raise()
            return
        }
        let client = model.queryClient
        let isLate = parts.withLock { parts in
            if parts.client == nil { parts.client = client }
            return parts.isSharedByDefault && parts.client !== client
        }
        if isBound.raise(), isLate { reportSharedClient(instead: client, of: object) }
    }

    private func reportSharedClient(instead client: QueryClient, of object: AnyObject) {
        let path = store.path
        client.report(
            .sharedClient,
            about: path.description,
            at: path,
            """
            The property with the request \(path) was read before \(type(of: object)) was asked for its client, and so belongs to \
            QueryClient.shared. Read it through the object, and only after queryClient is set; or give the property its client.
            """
        )
    }

    /// The request and what is known of it. A property that was never used has no client yet, and gets none for this.
    var description: String {
        guard let store = parts.withLock({ $0.store }) else { return "not read yet" }
        let state = State.showing(store.state, default: fallback)
        let status =
            switch state.status {
            case .idle: "idle"
            case .loading: "loading"
            case .result(.success): state.isFetching ? "refreshing" : "loaded"
            case .result(.failure(let error)): "failed: \(error)"
            }
        return "\(store.path) = \(state.value) (\(status))"
    }

    /// On the main thread the state of this turn, elsewhere the state of the store at this moment. Reading it subscribes, and is observed.
    var state: State {
        // Register the access before reading: a change in between is then announced.
        registrar.access(self, keyPath: \.state)
        return .showing(storeState, default: fallback)
    }

    private var storeState: State.StoreState {
        let store = self.store
        let relay = relay(of: store)
        guard MainTurn.isCurrent else { return store.state }
        return relay?.state ?? store.state(of: MainTurn.shared.shownStore(store.core).box)
    }

    /// The subscription; `nil` while another thread is making it.
    private func relay(of store: QueryStore<State.StoreState>) -> MainActorSubscription<State.StoreState>? {
        let (relay, isFirst) = parts.withLock { parts -> (MainActorSubscription<State.StoreState>?, Bool) in
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

    private func listen(to store: QueryStore<State.StoreState>) -> MainActorSubscription<State.StoreState> {
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
