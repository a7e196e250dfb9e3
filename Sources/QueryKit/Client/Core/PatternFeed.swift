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
        var invalidated: [QueryPattern: ChangeNumber] = [:]
        var removed: [QueryPattern: ChangeNumber] = [:]

        var past: [PatternChange] { invalidated.keys.map { .invalidated($0) } + removed.keys.map { .removed($0) } }
    }

    /// The maximum number of distinct patterns. Beyond it, the changes are combined into one change of all requests.
    private static let limit = 500
    private let state = Lock(State())

    /// Notifies listeners of a change and its number. Called with the client's lock held, so listeners must only note it.
    func notify(_ change: PatternChange, _ number: ChangeNumber) {
        let listeners = state.withLock { state in
            switch change {
            case .invalidated(let pattern): Self.insert(pattern, number, into: &state.invalidated)
            case .removed(let pattern): Self.insert(pattern, number, into: &state.removed)
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.receive(change) }
    }

    /// The past changes that are still relevant.
    var past: [PatternChange] { state.withLock { $0.past } }

    /// The listener for an object, created with `make` if there is none. It receives the past changes, then all later ones.
    func listener<Listener: PatternListener>(
        for object: ObjectIdentifier,
        orMake make: ([PatternChange]) -> Listener
    ) -> (listener: Listener, isNew: Bool) {
        state.withLock { state in
            if let known = state.listeners[object] as? Listener { return (known, false) }
            let new = make(state.past)
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
        state.withLock { state in
            func concerns(_ patterns: [QueryPattern: ChangeNumber]) -> Bool {
                patterns.contains { $0.value > number && matches($0.key) }
            }
            return (concerns(state.invalidated), concerns(state.removed))
        }
    }

    private static func insert(_ pattern: QueryPattern, _ number: ChangeNumber, into patterns: inout [QueryPattern: ChangeNumber]) {
        if pattern == .all || patterns[pattern] == nil && patterns.count >= limit {
            patterns = [.all: number]
        } else {
            patterns[pattern] = number
        }
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
