public import Foundation

/// All that a client knows, kept for another launch in one piece.
extension QueryClient {
    /// Encodes the values of all matches whose requests are `persisted` or `archived`, off the caller's thread.
    ///
    /// Each value is taken as it is when its turn comes, without the layers of mutations. A value that can't be encoded is reported and
    /// left out. Other tasks get their turn in between, and cancellation ends it with `CancellationError`.
    ///
    /// - Parameters:
    ///   - pattern: The requests whose values go along. Default: all.
    ///   - maxAge: Values of this age or older are left out, and so are those with a date in the future. Default: none is.
    @concurrent
    public func dehydrate(matching pattern: QueryPattern = .all, maxAge: Duration = .infinity) async throws -> QueryClientArchive {
        // What was not taken yet goes first: a value that moves into its store in between is then found there.
        let waiting = archivedValues?.entries(matching: pattern) ?? []
        var entries: [QueryClientArchive.Entry] = []
        var known: Set<QueryCacheKey> = []
        for (index, store) in core.stores(matching: pattern).enumerated() {
            try await takeBreak(index)
            guard let item = store.archivable, !item.value.date.isPast(maxAge, by: core.clock) else { continue }
            do {
                guard let entry = try item.entry else { continue }
                entries.append(entry)
                known.insert(entry.key.withoutVariant)
            } catch {
                core.report(.entryDropped, store.path, error)
            }
        }
        // Of a request that depends on the day, the value of this day takes the place of the one before.
        let left = waiting.filter { !known.contains($0.key.withoutVariant) && $0.kept(for: maxAge, by: core.clock) != nil }
        // A limit on their age belonged to the call that brought them.
        return QueryClientArchive(date: core.clock.date, entries: entries + left.map { $0.kept(for: .infinity) })
    }

    /// Takes over what ``dehydrate(matching:maxAge:)`` has put together. Nothing is decoded until the request is used; it then has its value at
    /// once, as old as it is; whether a run is needed is decided as for any value.
    ///
    /// Values of other sessions wait for theirs; those of another version of the app are left out, and so is what can't be decoded. Both
    /// are reported.
    ///
    /// - Parameters:
    ///   - archive: The values. Everything that the client was told to invalidate, and is told until the call returns, is newer than they are.
    ///   - replacement: What happens to stores that have a result already. Default: they keep it.
    ///   - maxAge: Values of this age or older are left out, which is no failure and is not reported. A value that waits for its request is
    ///     left out as soon as it reaches that age. One with a date in the future is left out, too: the wall clock was set back, and the
    ///     age of the value is unknown. Default: values of any age are taken over.
    @concurrent
    public func hydrate(
        from archive: QueryClientArchive,
        replacing replacement: QueryClientArchive.Replacement = .nothing,
        maxAge: Duration = .infinity
    ) async {
        let version = context.appVersion
        let entries = archive.entries.filter { $0.key.appVersion == version }
        reportDropped(archive.entries.count - entries.count, "belong to another version of the app")
        reportDropped(archive.unreadableCount, "can't be read")
        let values = connectArchive()
        await values.takeOver(entries.compactMap { $0.kept(for: maxAge, by: core.clock) }) { await Task.yield() }
        // From now on an archive of the client holds these values, too.
        defer { for saver in archiveSavers { saver.noteChange() } }
        for (index, store) in core.stores(matching: .all).enumerated() {
            // What is left is taken by the stores when they are used.
            guard (try? await takeBreak(index)) != nil else { return }
            for keeper in store.keepers { values.fill(store, keeper, replacing: replacement) }
        }
    }

    /// Reads an archive and takes it over. Throws, and leaves everything as it is, if it is no archive or has a newer format.
    ///
    /// - Parameters:
    ///   - data: What ``QueryClientArchive/data()`` has written.
    ///   - replacement: What happens to stores that have a result already. Default: they keep it.
    ///   - maxAge: Values of this age or older are left out. Default: values of any age are taken over.
    @concurrent
    public func hydrate(
        from data: Data,
        replacing replacement: QueryClientArchive.Replacement = .nothing,
        maxAge: Duration = .infinity
    ) async throws {
        await hydrate(from: try await QueryClientArchive(data: data), replacing: replacement, maxAge: maxAge)
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
    /// The value, encoded; `nil` if it is not known what the value depends on.
    var entry: QueryClientArchive.Entry? {
        get throws {
            guard let key = QueryCacheKey(request, persistence, context, of: value.variant) else { return nil }
            return QueryClientArchive.Entry(
                key: key,
                value: QueryCacheEntry(
                    data: try persistence.encode(value.value),
                    date: value.date,
                    isInvalidated: value.isInvalidated
                )
            )
        }
    }
}
