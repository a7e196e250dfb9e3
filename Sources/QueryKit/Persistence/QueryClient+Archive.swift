public import Foundation

/// All that a client knows, kept for another launch in one piece.
extension QueryClient {
    /// Encodes the values of all matches whose requests are `persisted` or `archived`, off the caller's thread.
    ///
    /// Each value is taken as it is when its turn comes, without the layers of mutations. A value that can't be encoded is reported and
    /// left out. Other tasks get their turn in between, and cancellation ends it with `CancellationError`.
    @concurrent
    public func dehydrate(matching pattern: QueryPattern = .all) async throws -> QueryClientArchive {
        // What was not taken yet goes first: a value that moves into its store meanwhile is then found there.
        let waiting = archivedValues?.entries(matching: pattern) ?? []
        var entries: [QueryClientArchive.Entry] = []
        var known: Set<QueryCacheKey> = []
        for (index, store) in core.stores(matching: pattern).enumerated() {
            try await takeBreak(index)
            guard let item = store.archivable else { continue }
            do {
                let entry = try item.entry
                entries.append(entry)
                known.insert(entry.key)
            } catch {
                core.report(.entryDropped, store.path, error)
            }
        }
        return QueryClientArchive(date: core.clock.date, entries: entries + waiting.filter { !known.contains($0.key) })
    }

    /// Takes over what ``dehydrate(matching:)`` has put together. Nothing is decoded until the request is used; it then has its value at
    /// once, as old as it is; whether a run is needed is decided as for any value.
    ///
    /// Stores that have a result keep it. Values of other sessions wait for theirs; those of another version of the app are left out, and so is what can
    /// not be decoded. Both are reported.
    @concurrent
    public func hydrate(from archive: QueryClientArchive) async {
        let version = context.appVersion
        let entries = archive.entries.filter { $0.key.appVersion == version }
        reportDropped(archive.entries.count - entries.count, "belong to another version of the app")
        reportDropped(archive.unreadableCount, "can not be made out")
        let values = connectArchive()
        await values.takeOver(entries) { await Task.yield() }
        for (index, store) in core.stores(matching: .all).enumerated() {
            // What is left is taken by the stores when they are used.
            guard (try? await takeBreak(index)) != nil else { return }
            for keeper in store.keepers { values.fill(store, keeper) }
        }
    }

    /// Reads an archive and takes it over. Throws, and leaves everything as it is, if it is no archive or has a newer format.
    @concurrent
    public func hydrate(from data: Data) async throws {
        await hydrate(from: try await QueryClientArchive(data: data))
    }

    private func takeBreak(_ index: Int) async throws {
        guard index.isMultiple(of: 16) else { return }
        try Task.checkCancellation()
        await Task.yield()
    }

    private var archivedValues: ArchivedValues? { core.source.withLock { $0 } as? ArchivedValues }

    /// The place of archived values, which is there from now on.
    private func connectArchive() -> ArchivedValues {
        let values = core.patterns.listener(for: ObjectIdentifier(ArchivedValues.self)) { _ in ArchivedValues(core) }.listener
        core.source.withLock { $0 = values }
        return values
    }

    private func reportDropped(_ count: Int, _ what: String) {
        guard count > 0 else { return }
        core.report(.entryDropped, [], QueryError(.unreadableData, "\(count) entries of the archive \(what) and are left out."))
    }
}

extension ArchivableValue {
    var entry: QueryClientArchive.Entry {
        get throws {
            QueryClientArchive.Entry(
                key: QueryCacheKey(request, persistence, context),
                value: QueryCacheEntry(
                    data: try persistence.encode(value.value),
                    date: value.date,
                    isInvalidated: value.isInvalidated
                )
            )
        }
    }
}
