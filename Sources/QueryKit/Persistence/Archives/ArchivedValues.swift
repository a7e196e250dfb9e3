/// The values of archives that no store has taken yet. They stay encoded until their request is used.
final class ArchivedValues: StoreSource, PatternListener {
    private struct State {
        var table = ArchiveTable()
        /// How many moves are under way: archives that are being added, and entries that are being moved to stores. Their entries also
        /// receive the changes that arrive during that time.
        private var moving = 0
        private var received: [PatternChange] = []

        /// Begins a move. Returns its position in the list of received changes.
        mutating func begin() -> Int {
            moving += 1
            return received.count
        }

        mutating func end() {
            moving -= 1
            if moving == 0 { received = [] }
        }

        mutating func receive(_ change: PatternChange) {
            table.receive(change)
            if moving > 0 { received.append(change) }
        }

        /// Adds entries that are older than the past changes and than all changes received since a move began.
        mutating func add(_ entries: some Sequence<QueryClientArchive.Entry>, after past: [PatternChange] = [], since begin: Int) {
            table.add(entries, after: past + received[begin...])
        }
    }

    private let state = Lock(State())
    private let core: WeakOwner

    init(_ core: ClientCore) { self.core = WeakOwner(core) }

    private var client: ClientCore? { core.object as? ClientCore }

    /// Adds an archive in parts, with a pause after each. A newer entry replaces an older one.
    ///
    /// The archive counts as older than all invalidations that the client has received so far, or receives before the archive is added.
    func takeOver(_ archive: [QueryClientArchive.Entry], pause: () async -> Void) async {
        // Begin the move before reading the past changes, so that no change is missed in between.
        let begin = state.withLock { $0.begin() }
        defer { state.withLock { $0.end() } }
        let past = (client?.patterns.past ?? []).filter { if case .invalidated = $0 { true } else { false } }
        for start in stride(from: 0, to: archive.count, by: 64) {
            let part = archive[start..<min(start + 64, archive.count)]
            state.withLock { $0.add(part, after: past, since: begin) }
            await pause()
        }
    }

    /// The current entries whose keys match a pattern.
    func entries(matching pattern: QueryPattern) -> [QueryClientArchive.Entry] { state.withLock { $0.table.entries(matching: pattern) } }

    func receive(_ change: PatternChange) { state.withLock { $0.receive(change) } }

    func fill(_ store: StoreCore, _ settings: RequestSettings) { fill(store, settings, replacing: .nothing) }

    /// Gives a store its archived value, if the store has no result, or if it has an older one that may be replaced.
    func fill(_ store: StoreCore, _ settings: RequestSettings, replacing replacement: QueryClientArchive.Replacement) {
        // If the store gets another value while this one is decoded, both are compared again.
        while !offer(store, settings, replacing: replacement) {}
    }

    /// Offers a store its archived value. Returns whether the store's value is decided.
    private func offer(_ store: StoreCore, _ settings: RequestSettings, replacing replacement: QueryClientArchive.Replacement) -> Bool {
        let replacesOlder = replacement == .olderValues
        let hasResult = store.hasResult
        guard replacesOlder || !hasResult, state.withLock({ !$0.table.isEmpty }) else { return true }
        // Read before the entry is looked up: a removal first removes the entry here, and then empties the store.
        let number = store.valueNumber
        let (context, request) = (settings.context, settings.request)
        guard let persistence = context.settings.persistence else { return true }
        // A run of a request without a name that lasts throws the error.
        guard let key = try? QueryCacheKey(request, persistence, context) else { return true }
        // An entry that would not replace the store's value stays here, encoded.
        if hasResult, !isWanted(key, by: store, context.clock) { return true }
        let (taken, begin) = state.withLock { ($0.table.take(key), $0.begin()) }
        defer { state.withLock { $0.end() } }
        guard let entry = taken, !entry.isExpired(by: context.clock) else { return true }
        do {
            let value = try persistence.decode(entry.data)
            let stored = StoredValue(
                value: value,
                date: entry.date,
                isInvalidated: entry.isInvalidated,
                variant: .known(key.variant)
            )
            // An invalidation in between has marked the store, and the mark stays.
            if store.seed(stored, in: context, over: number, replacesOlder: replacesOlder) { return true }
            let isOfEndedSession = context.owner?.isEnded == true
            if !replacesOlder, store.hasResult, !isOfEndedSession { return true }
            // One of three things has happened: the store entered another session, and the value waits for its own session; or the store
            // and its value were removed; or the store has another value.
            state.withLock { $0.add(CollectionOfOne(QueryClientArchive.Entry(key: key, value: entry)), since: begin) }
            return !replacesOlder || isOfEndedSession || store.valueNumber == number
        } catch {
            client?.report(.entryDropped, key.queryPath, QueryError(.unreadableData, path: key.queryPath, underlying: error))
            return true
        }
    }

    /// Whether the value for a key would replace the one of a store.
    private func isWanted(_ key: QueryCacheKey, by store: StoreCore, _ clock: any QueryClock) -> Bool {
        guard let entry = state.withLock({ $0.table.entry(key) }) else { return false }
        let time = QueryTimestamp(date: entry.date, clock: clock)
        return store.record.isReplaced(by: time, isInvalidated: entry.isInvalidated, by: clock.date)
    }
}
