/// What archives brought and no store has taken yet. Values stay encoded until somebody asks for their request.
final class ArchivedValues: StoreSource, PatternListener {
    private let entries = Lock(ArchiveTable())
    private let core: WeakOwner

    init(_ core: ClientCore) { self.core = WeakOwner(core) }

    private var client: ClientCore? { core.object as? ClientCore }

    /// A newer entry takes the place of an older one.
    func add(_ new: some Sequence<QueryClientArchive.Entry> & Sendable) {
        entries.withLock { entries in
            for entry in new { entries.add(entry.value, entry.key) }
        }
    }

    /// What is here now, with the keys that a pattern matches.
    func entries(matching pattern: QueryPattern) -> [QueryClientArchive.Entry] { entries.withLock { $0.entries(matching: pattern) } }

    func hear(_ change: PatternChange) {
        switch change {
        case .invalidated(let pattern): entries.withLock { $0.invalidate(pattern) }
        case .removed(let pattern): entries.withLock { $0.remove(pattern) }
        }
    }

    func fill(_ store: any StoreControl) {
        guard !store.hasResult, entries.withLock({ !$0.isEmpty }) else { return }
        let (context, request) = (store.context, store.request)
        guard let persistence = context.settings.persistence else { return }
        let key = QueryCacheKey(request, persistence, context)
        guard let entry = entries.withLock({ $0.take(key) }), !entry.isExpired(by: context.clock) else { return }
        do {
            let value = try persistence.decode(entry.data)
            let stored = StoredValue(value: value, date: entry.date, isInvalidated: entry.isInvalidated)
            // The store came into another session: the value waits for its own.
            if !store.seed(stored, in: context), !store.hasResult { entries.withLock { $0.add(entry, key) } }
        } catch {
            client?.report(.entryDropped, key.queryPath, QueryError(.unreadableData, path: key.queryPath, underlying: error))
        }
    }
}
