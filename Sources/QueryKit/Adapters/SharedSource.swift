import Observation

/// The storage that all copies of a shared query share: its client, its store and its subscription, each created when it is needed.
final class SharedSource<State: QueryStateProtocol>: Observable, Sendable {
    private enum Listening: Sendable {
        case none
        /// A reader is subscribing. If there are other readers, they may have missed a change since then.
        case beginning(hasOtherReaders: Bool)
        case lasting(MainActorSubscription<State.StoreState>)
    }

    private struct Parts: Sendable {
        var client: QueryClient?
        /// The client of the task that created the property, for an object without a client of its own.
        let ofTask: QueryClient?
        /// Whether the client is the shared one because no other was known.
        var isSharedByDefault = false
        var store: QueryStore<State.StoreState>?
        var listening = Listening.none
    }

    let identity: QueryIdentity
    /// The value to show while the store has none, if the property has a default.
    let fallback: State.QueryValue?
    private let find: @Sendable (QueryClient) -> QueryStore<State.StoreState>
    private let parts: Lock<Parts>
    /// Whether the client of the object that has the property was determined.
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

    private init(
        _ former: SharedSource,
        _ identity: QueryIdentity,
        _ find: @escaping @Sendable (QueryClient) -> QueryStore<State.StoreState>
    ) {
        (self.identity, fallback, self.find) = (identity, former.fallback, find)
        let known = former.parts.withLock { $0 }
        parts = Lock(Parts(client: known.client, ofTask: known.ofTask, isSharedByDefault: known.isSharedByDefault))
        if former.isBound.isRaised { _ = isBound.raise() }
    }

    /// The storage for another request of the same property. If the property has no client yet, this doesn't determine one.
    func showing(
        _ identity: QueryIdentity,
        find: @escaping @Sendable (QueryClient) -> QueryStore<State.StoreState>
    ) -> SharedSource { SharedSource(self, identity, find) }

    /// Whether both properties have the same client. Comparing two properties doesn't determine their clients: a property without a client
    /// counts as having the shared one.
    func hasClient(of other: SharedSource) -> Bool {
        let (own, others) = (knownClient, other.knownClient)
        if own == nil, others == nil { return true }
        return (own ?? .shared) === (others ?? .shared)
    }

    private var knownClient: QueryClient? { parts.withLock { $0.client ?? $0.ofTask } }

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

    /// Takes the client of the object that has the property, unless the property was created with one.
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
            The property with the request \(path) was read before the client of \(type(of: object)) was known, so it uses \
            QueryClient.shared. Read it through the object, and only after queryClient is set; or pass a client to the property.
            """
        )
    }

    /// The path and the status. A property that was not yet used has no client, and reading the description does not determine one.
    var description: String {
        guard let store = parts.withLock({ $0.store }) else { return "not read yet" }
        let state = State.showing(store.state, default: fallback)
        let status =
            switch state.status {
            case .idle: "idle"
            case .loading: "loading"
            case .result(.success): state.isFetching ? "refreshing" : "loaded"
            case .result(.failure(let error)): "failed: \(ShortText.kind(of: error))"
            }
        return "\(store.path) (\(status))"
    }

    /// On the main thread the state that ``MainTurn`` shows, on other threads the current state of the store. Reading it subscribes, and
    /// Observation tracks the access.
    var state: State {
        // Register the access before reading, so that a change in between is announced.
        registrar.access(self, keyPath: \.state)
        return .showing(storeState, default: fallback)
    }

    private var storeState: State.StoreState {
        let store = self.store
        let relay = relay(of: store)
        guard MainTurn.isCurrent else { return store.state }
        return relay?.state ?? store.state(of: MainTurn.shared.shownStore(store.core).box)
    }

    /// The subscription; `nil` while another thread is creating it.
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
        // One subscription is enough, and a second one might refetch.
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

    /// On the main thread, shows a change that was just written. A change that another thread has written shows a moment later.
    func catchUp() {
        guard MainTurn.isCurrent else { return }
        let host = store.core.host
        MainActor.assumeIsolated { MainTurn.shared.show(host) }
    }

    /// Notifies readers in the next turn that the state has changed. Does nothing if there is no store yet, because nothing was read then.
    func announceLater() {
        guard let host = parts.withLock({ $0.store })?.core.host else { return }
        MainTurn.shared.request(countedBy: host) { self.announce() }
    }

    /// Notifies readers that the state has changed.
    @MainActor private func announce() { registrar.withMutation(of: self, keyPath: \.state) {} }

    /// Creates a missing part outside the lock. If two threads create it at the same time, the first one stored wins.
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
