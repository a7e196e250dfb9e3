/// A change to all requests that a pattern matches, including those without a store.
enum PatternChange: Sendable {
    case invalidated(QueryPattern)
    case removed(QueryPattern)
}

/// Receives every ``PatternChange``. Implemented by objects that keep values for requests without a store, such as caches.
protocol PatternListener: AnyObject, Sendable {
    func receive(_ change: PatternChange)

    /// Describes the cache to an inspector; `nil` if the listener isn't a cache. Default: `nil`.
    var inspectedCache: Surroundings.Cache? { get }
}

extension PatternListener {
    var inspectedCache: Surroundings.Cache? { nil }
}

/// Notifies listeners of changes by pattern, and remembers the changes for later listeners: a cache may be opened long after an
/// invalidation that concerns its entries.
final class PatternFeed: Sendable {
    private struct State {
        var listeners: [ObjectIdentifier: any PatternListener] = [:]
        var history = PatternHistory()
    }

    private let state = Lock(State())

    /// Notifies listeners of a change and its number. Called with the client's lock held, so listeners must only note it.
    func notify(_ change: PatternChange, _ number: ChangeNumber) {
        let listeners = state.withLock { state in
            state.history.insert(change, number)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.receive(change) }
    }

    /// The past changes that are still relevant.
    var past: [PatternChange] { state.withLock { $0.history }.changes }

    /// The listener for an object, created with `make` if there is none. It receives the past changes, then all later ones.
    func listener<Listener: PatternListener>(
        for object: ObjectIdentifier,
        orMake make: (_ past: PatternHistory) -> Listener
    ) -> (listener: Listener, isNew: Bool) {
        state.withLock { state in
            if let known = state.listeners[object] as? Listener { return (known, false) }
            let new = make(state.history)
            state.listeners[object] = new
            return (new, true)
        }
    }

    /// The connected caches with their objects.
    var caches: [(object: ObjectIdentifier, cache: Surroundings.Cache)] {
        // Described outside the lock, because a cache may be foreign code.
        state.withLock { $0.listeners }.compactMap { object, listener in listener.inspectedCache.map { (object, $0) } }
    }

    func remove(_ object: ObjectIdentifier) {
        // Release the listener outside the lock.
        _ = state.withLock { $0.listeners.removeValue(forKey: object) }
    }

    /// Whether patterns have invalidated or removed a key since a value was read.
    func changes(since number: ChangeNumber, where matches: (QueryPattern) -> Bool) -> (isInvalidated: Bool, isRemoved: Bool) {
        state.withLock { $0.history.changes(since: number, where: matches) }
    }
}

/// A listener that is notified of each change of a value that a cache or an archive keeps. The savers of archives, in a later folder,
/// implement it.
protocol StoredChangeListener: AnyObject, Sendable {
    /// Called after the handlers of the store, with no lock held.
    func noteChange(of request: any QueryRequest)
}

/// Provides values for stores that have none. Implemented by archives, in a later folder.
protocol StoreSource: AnyObject, Sendable {
    func fill(_ store: StoreCore, _ settings: RequestSettings)
}

extension ClientCore {
    /// Gives a store without a result its value from the archive, if there is one.
    func fill(_ store: StoreCore, _ settings: RequestSettings) { source.withLock { $0 }?.fill(store, settings) }
}
