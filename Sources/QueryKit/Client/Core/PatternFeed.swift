/// A change to all requests that a pattern matches, also to those without a store.
enum PatternChange: Sendable {
    case invalidated(QueryPattern)
    case removed(QueryPattern)
}

/// Hears of changes by pattern: what keeps values of requests that have no store.
protocol PatternListener: AnyObject, Sendable {
    func hear(_ change: PatternChange)
}

/// Tells listeners of changes by pattern, and remembers them for those who come later: a cache may be opened long after an invalidation
/// that concerns what lies in it.
final class PatternFeed: Sendable {
    private struct State {
        var listeners: [ObjectIdentifier: any PatternListener] = [:]
        var invalidated: [QueryPattern: ChangeNumber] = [:]
        var removed: [QueryPattern: ChangeNumber] = [:]

        var past: [PatternChange] { invalidated.keys.map { .invalidated($0) } + removed.keys.map { .removed($0) } }
    }

    /// So many patterns are told apart; more of them count as all requests.
    private static let limit = 500
    private let state = Lock(State())

    /// Tells of a change with its number. Called with the client's lock held: listeners only note it.
    func tell(_ change: PatternChange, _ number: ChangeNumber) {
        let listeners = state.withLock { state in
            switch change {
            case .invalidated(let pattern): Self.insert(pattern, number, into: &state.invalidated)
            case .removed(let pattern): Self.insert(pattern, number, into: &state.removed)
            }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.hear(change) }
    }

    /// What was told so far, as far as it still tells anything.
    var past: [PatternChange] { state.withLock { $0.past } }

    /// The listener for an object, made with `make` if there is none; it gets the past changes, then every later one.
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

    func remove(_ object: ObjectIdentifier) {
        // The listener leaves the lock before it ends.
        _ = state.withLock { $0.listeners.removeValue(forKey: object) }
    }

    /// What has changed of a key since a value was read, as far as patterns tell.
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

/// Hears of each change of a value that a cache or an archive keeps: what saves archives, which is in a later folder.
protocol StoredChangeListener: AnyObject, Sendable {
    /// Called after the handlers of the store, with no lock held.
    func noteChange(of request: any QueryRequest)
}

/// Values for stores that have none: an archive, which stands in a later folder.
protocol StoreSource: AnyObject, Sendable {
    func fill(_ store: StoreCore, _ settings: RequestSettings)
}

extension ClientCore {
    /// Gives a store without a result what the archive has for it.
    func fill(_ store: StoreCore, _ settings: RequestSettings) { source.withLock { $0 }?.fill(store, settings) }
}
