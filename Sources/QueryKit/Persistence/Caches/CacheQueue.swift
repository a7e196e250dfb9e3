/// The serial queue of one client's writes to one cache. Writes are carried out one at a time and in order, and no caller waits for them.
///
/// Errors of the cache are reported. If the cache failed to carry out an invalidation or a removal, the queue remembers the change and
/// tries again. Until then, the affected entries do not count as fresh.
final class CacheQueue: PatternListener {
    private struct State {
        var steps = CacheSteps()
        /// Changes that the cache has failed to carry out so far, in the order of the latest attempts.
        var owed = PatternHistory()
        var attempt = ChangeNumber.none

        mutating func owe(_ change: PatternChange) {
            attempt = attempt.next
            owed.insert(change, attempt)
        }
    }

    private let cache: any QueryCache
    private let core: WeakOwner
    private let state: Lock<State>

    /// How many removals the client had forgotten when the queue was created.
    private let forgottenCount: Int

    /// Creates a queue that begins with the changes that the cache has missed; see ``start()``.
    init(_ cache: any QueryCache, _ core: ClientCore, past: PatternHistory) {
        self.cache = cache
        self.core = WeakOwner(core)
        forgottenCount = past.forgottenCount
        var state = State()
        for change in past.changes { state.steps.change(change) }
        self.state = Lock(state)
    }

    var inspectedCache: Surroundings.Cache? {
        Surroundings.Cache(name: String(describing: type(of: cache)), entryCount: (cache as? MemoryQueryCache)?.count)
    }

    private var client: ClientCore? { core.object as? ClientCore }

    // MARK: Writing

    func start() {
        reportForgotten(forgottenCount)
        add { _ in }
    }

    private func reportForgotten(_ count: Int) {
        if count == 0 { return }
        let message = """
            More than \(PatternHistory.limit) patterns were removed while the cache \(type(of: cache)) couldn't carry them out. The oldest \
            \(count) were forgotten, and all values in the cache now count as out of date. Connect the cache at launch, or remove by a \
            pattern that covers many requests.
            """
        client?.report(.storageFailed, [], QueryError(.unwritableData, message))
    }

    func receive(_ change: PatternChange) {
        // Called with the client's lock held, so values that are no longer needed are released later.
        begin(
            if: state.withLock { state in
                state.steps.change(change)
                return state.steps.begin()
            }
        )
    }

    func keep(_ change: StoredChange, _ key: QueryCacheKey, ttl: Duration, _ persistence: QueryPersistence) {
        switch change {
        case .value(let stored):
            let patterns = client?.patterns
            add { steps in
                // A change that was entered after the value was read is already in the queue or will be. The value must not hide the change
                // (R29).
                let change = patterns?.changes(since: stored.asOf) { key.isMatched(by: $0) }
                if change?.isRemoved == true { return }
                var stored = stored
                if change?.isInvalidated == true { stored.isInvalidated = true }
                steps.write(CacheSteps.Write(stored: stored, ttl: ttl, persistence: persistence), key)
            }
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
        begin(if: begins)
    }

    private func begin(if begins: Bool) {
        guard begins else { return }
        Self.working.withLock { $0[ObjectIdentifier(cache), default: []].append(self) }
        let token = client?.work.begin()
        // Ends on its own when nothing is left, and is never cancelled, so that every accepted value is written.
        Task.detached(priority: .utility) {
            await self.work()
            self.removeFromWorking()
            token?.end()
        }
    }

    /// The queues in this process that are carrying out steps, by their caches. Changes of one client count for other clients of the same
    /// cache even before the cache has carried them out, and even after the client was deallocated (R29).
    private static let working = Lock<[ObjectIdentifier: [CacheQueue]]>([:])

    private func removeFromWorking() {
        Self.working.withLock { working in
            let key = ObjectIdentifier(cache)
            guard let index = working[key]?.firstIndex(where: { $0 === self }) else { return }
            working[key]?.remove(at: index)
            if working[key]?.isEmpty == true { working[key] = nil }
        }
    }

    /// Waits until all steps that clients have entered for a key are done.
    private func awaitTurn(for key: QueryCacheKey) async throws {
        let others = Self.working.withLock { $0[ObjectIdentifier(cache)] ?? [] }.filter { $0 !== self }
        for queue in [self] + others {
            let turn = queue.state.withLock { $0.steps.turn(for: key) }
            try await turn?.get()
        }
    }

    private func work() async {
        await settleDebts()
        while let step = next() {
            guard case .pattern(let change) = step else {
                _ = await carryOut(step)
                continue
            }
            // If the cache has failed to carry out the same change before, the next attempt covers both.
            if state.withLock({ $0.owed.contains(change) }) { continue }
            if await carryOut(step) { continue }
            let forgotten = state.withLock { state in
                let former = state.owed.forgottenCount
                state.owe(change)
                return state.owed.forgottenCount - former
            }
            reportForgotten(forgotten)
        }
    }

    private func next() -> CacheSteps.Step? {
        let (step, spent) = state.withLock { ($0.steps.take(), $0.steps.takeSpent()) }
        withExtendedLifetime(spent) {}
        return step
    }

    /// Tries again what the cache has failed to carry out, until it fails again; the next attempt then begins with another change.
    ///
    /// Each change stays owed until it is carried out, because readers may come in between. No other code removes changes.
    private func settleDebts() async {
        for change in state.withLock({ $0.owed }).changes {
            guard await carryOut(.pattern(change)) else { return state.withLock { $0.owe(change) } }
            state.withLock { $0.owed.remove(change) }
        }
    }

    /// Carries out a step. Returns whether it succeeded.
    private func carryOut(_ step: CacheSteps.Step) async -> Bool {
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
                guard var entry = try await cache.get(key: key), !entry.isInvalidated else { break }
                entry.isInvalidated = true
                try await cache.set(entry, key: key)
            case .remove(let key): try await cache.remove(key: key)
            case .pattern(.invalidated(let pattern)): try await cache.invalidate(pattern: pattern)
            case .pattern(.removed(.all)): try await cache.clear()
            case .pattern(.removed(let pattern)): try await cache.remove(pattern: pattern)
            case .pass(let promise): promise.resolve(.success(()))
            }
            return true
        } catch {
            client?.report(.storageFailed, step.path, error)
            return false
        }
    }

    // MARK: Reading

    /// Reads the value for a key, with all queued steps taken into account. Returns `nil` after any error.
    func restore(_ key: QueryCacheKey, _ persistence: QueryPersistence, by clock: any QueryClock) async -> StoredValue? {
        let found: QueryCacheEntry?
        let owed: PatternHistory
        do {
            try await awaitTurn(for: key)
            // Read before and after: a change that is carried out during the read may be too late to affect its result.
            owed = state.withLock { $0.owed }
            found = try await cache.get(key: key)
        } catch {
            if !(error is CancellationError) { client?.report(.storageFailed, key.queryPath, error) }
            return nil
        }
        guard let entry = found.flatMap({ settled($0, key, owed) }), !entry.isExpired(by: clock) else { return nil }
        do {
            let value = try persistence.decode(entry.data)
            return StoredValue(value: value, date: entry.date, isInvalidated: entry.isInvalidated, variant: .known(key.variant))
        } catch {
            client?.report(.entryDropped, key.queryPath, QueryError(.unreadableData, path: key.queryPath, underlying: error))
            add { $0.remove(key) }
            return nil
        }
    }

    /// The entry as it would be if the cache had carried out all changes.
    private func settled(_ entry: QueryCacheEntry, _ key: QueryCacheKey, _ owed: PatternHistory) -> QueryCacheEntry? {
        var entry = entry
        for owed in [owed, state.withLock { $0.owed }] {
            let changes = owed.changes(since: .none) { key.isMatched(by: $0) }
            if changes.isRemoved { return nil }
            if changes.isInvalidated { entry.isInvalidated = true }
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

extension ClientCore {
    func report(_ kind: QueryEvent.Kind, _ path: QueryPath, _ error: (any Error)? = nil) {
        guard wantsEvents else { return }
        report(QueryEvent(kind: kind, path: path, cause: .restored, instant: clock.now, error: error))
    }
}
