/// One cache as one client uses it: what is to be written stands in line, one step at a time and in order, and no caller waits for it.
///
/// A cache that throws is reported. An invalidation or removal that it could not carry out is remembered, so that what it should have
/// marked is never taken for fresh, and is tried again.
final class CacheLine: PatternListener {
    private struct State {
        var steps = CacheSteps()
        /// Changes that the cache still has to carry out, because it failed.
        var owed: [PatternChange] = []
    }

    private let cache: any QueryCache
    private let core: WeakOwner
    private let state: Lock<State>

    /// Creates a line that begins with what the cache has missed; see ``start()``.
    init(_ cache: any QueryCache, _ core: ClientCore, past: [PatternChange]) {
        self.cache = cache
        self.core = WeakOwner(core)
        var state = State()
        for change in past { state.steps.change(change) }
        self.state = Lock(state)
    }

    private var client: ClientCore? { core.object as? ClientCore }

    // MARK: Writing

    func start() { add { _ in } }

    func hear(_ change: PatternChange) { add { $0.change(change) } }

    func keep(_ change: StoredChange, _ key: QueryCacheKey, ttl: Duration, _ persistence: QueryPersistence) {
        switch change {
        case .value(let stored): add { $0.write(CacheSteps.Write(stored: stored, ttl: ttl, persistence: persistence), key) }
        case .outdated: add { $0.mark(key) }
        case .forgotten: add { $0.remove(key) }
        }
    }

    private func add(_ change: (inout CacheSteps) -> Void) {
        let (begins, spent) = state.withLock { state in
            change(&state.steps)
            return (state.steps.begin(), state.steps.takeSpent())
        }
        withExtendedLifetime(spent) {}
        guard begins else { return }
        client?.updateWork(1)
        // Ends by itself when nothing is left, and nobody cancels it: what was accepted is written.
        Task.detached(priority: .utility) { await self.work() }
    }

    private func work() async {
        await settleDebts()
        while let step = next() { await carryOut(step) }
        client?.updateWork(-1)
    }

    private func next() -> CacheSteps.Step? {
        let (step, spent) = state.withLock { ($0.steps.take(), $0.steps.takeSpent()) }
        withExtendedLifetime(spent) {}
        return step
    }

    private func settleDebts() async {
        let owed = state.withLock { state in
            defer { state.owed = [] }
            return state.owed
        }
        for change in owed { await carryOut(.pattern(change)) }
    }

    private func carryOut(_ step: CacheSteps.Step) async {
        do {
            switch step {
            case .write(let key, let write):
                let entry = QueryCacheEntry(
                    data: try write.persistence.encode(write.stored.value),
                    date: write.stored.date,
                    ttl: write.ttl,
                    isInvalidated: write.stored.isInvalidated
                )
                try await cache.set(entry, key: key)
            case .mark(let key):
                guard var entry = try await cache.get(key: key), !entry.isInvalidated else { return }
                entry.isInvalidated = true
                try await cache.set(entry, key: key)
            case .remove(let key): try await cache.remove(key: key)
            case .pattern(.invalidated(let pattern)): try await cache.invalidate(pattern: pattern)
            case .pattern(.removed(.all)): try await cache.clear()
            case .pattern(.removed(let pattern)): try await cache.remove(pattern: pattern)
            case .pass(let promise): promise.resolve(.success(()))
            }
        } catch {
            if case .pattern(let change) = step { state.withLock { $0.owed.append(change) } }
            client?.report(.cacheFailed, step.path, error)
        }
    }

    // MARK: Reading

    /// The value under a key, as it will be when all that stands in line before is done. Whatever goes wrong means that there is none.
    func restore(_ key: QueryCacheKey, _ persistence: QueryPersistence, by clock: any QueryClock) async -> StoredValue? {
        let found: QueryCacheEntry?
        do {
            let turn = state.withLock { $0.steps.turn(for: key) }
            try await turn?.get()
            found = try await cache.get(key: key)
        } catch {
            if !(error is CancellationError) { client?.report(.cacheFailed, key.queryPath, error) }
            return nil
        }
        guard let entry = found.flatMap({ settled($0, key) }), !entry.isExpired(by: clock) else { return nil }
        do {
            let value = try persistence.decode(entry.data)
            return StoredValue(value: value, date: entry.date, isInvalidated: entry.isInvalidated)
        } catch {
            client?.report(.entryDropped, key.queryPath, QueryError(.unreadableData, path: key.queryPath, underlying: error))
            add { $0.remove(key) }
            return nil
        }
    }

    /// The entry as it would be, had the cache done all that it was told.
    private func settled(_ entry: QueryCacheEntry, _ key: QueryCacheKey) -> QueryCacheEntry? {
        var entry = entry
        for change in state.withLock({ $0.owed }) {
            switch change {
            case .invalidated(let pattern): if key.isMatched(by: pattern) { entry.isInvalidated = true }
            case .removed(let pattern): if key.isMatched(by: pattern) { return nil }
            }
        }
        return entry
    }
}

extension CacheSteps.Step {
    fileprivate var path: QueryPath {
        switch self {
        case .write(let key, _), .mark(let key), .remove(let key): key.queryPath
        case .pattern(.invalidated(let pattern)), .pattern(.removed(let pattern)): [pattern.description]
        case .pass: []
        }
    }
}

extension QueryCacheKey {
    /// The path as far as its text tells, for events.
    var queryPath: QueryPath { QueryPath(path) }
}

extension ClientCore {
    func report(_ kind: QueryEvent.Kind, _ path: QueryPath, _ error: (any Error)? = nil) {
        guard wantsEvents else { return }
        report(QueryEvent(kind: kind, path: path, cause: .restored, instant: clock.now, error: error))
    }
}
