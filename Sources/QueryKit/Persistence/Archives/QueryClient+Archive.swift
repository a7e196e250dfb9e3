public import Foundation

/// Archives: the values of a client, kept for another launch in one piece.
extension QueryClient {
    /// Encodes the values of all matches whose requests are `persisted` or `archived`, off the caller's thread.
    ///
    /// Values are read and encoded one after the other, without the layers of mutations. A value that can't be encoded is reported and
    /// omitted. The method yields to other tasks in between, and throws a `CancellationError` if it is cancelled.
    ///
    /// - Parameters:
    ///   - pattern: The requests whose values are included. Default: all.
    ///   - maxAge: Values of this age or older are omitted, and so are those with a date in the future. Default: no limit.
    @concurrent
    public func dehydrate(matching pattern: QueryPattern = .all, maxAge: Duration = .infinity) async throws -> QueryClientArchive {
        // Read the archived values first: a value that moves into its store in between is then found there.
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
        // If the value of a request depends on the day, the value of this day replaces the one of an earlier day.
        let left = waiting.filter { !known.contains($0.key.withoutVariant) && $0.kept(for: maxAge, by: core.clock) != nil }
        // The remaining values get no limit on their age: a limit applied only to the call that added them.
        return QueryClientArchive(date: core.clock.date, entries: entries + left.map { $0.kept(for: .infinity) })
    }

    /// Adds the values of an archive made by ``dehydrate(matching:maxAge:)``. A value is decoded only when its request is used. The request
    /// then has the value immediately, with its original age, which decides whether a run is needed.
    ///
    /// Values of other sessions wait for their session. Values of another version of the app and values that can't be decoded are omitted
    /// and reported.
    ///
    /// - Parameters:
    ///   - archive: The values. All invalidations that the client has received, or receives before the call returns, count as newer.
    ///   - replacement: What happens to stores that already have a result. Default: they keep it.
    ///   - maxAge: Values of this age or older are omitted without a report. A value that reaches that age before its request is used is
    ///     omitted, too. So is a value with a date in the future: the wall clock was set back, and the value's age is unknown. Default: no
    ///     limit.
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
        // From now on an archive of the client contains these values, too.
        defer { for saver in archiveSavers { saver.noteChange() } }
        for (index, store) in core.stores(matching: .all).enumerated() {
            // Stores take the remaining values when they are used.
            guard (try? await takeBreak(index)) != nil else { return }
            for cacheSettings in store.allCacheSettings { values.fill(store, cacheSettings, replacing: replacement) }
        }
    }

    /// Decodes an archive and adds its values. Throws, without any effect, if the data is not an archive or has a newer format.
    ///
    /// - Parameters:
    ///   - data: The result of ``QueryClientArchive/data()``.
    ///   - replacement: What happens to stores that already have a result. Default: they keep it.
    ///   - maxAge: Values of this age or older are omitted. Default: no limit.
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

    /// The client's archived values, created if necessary.
    private func connectArchive() -> ArchivedValues {
        let values = core.patterns.listener(for: ObjectIdentifier(ArchivedValues.self)) { _ in ArchivedValues(core) }.listener
        core.source.withLock { $0 = values }
        return values
    }

    private func reportDropped(_ count: Int, _ what: String) {
        guard count > 0 else { return }
        core.report(
            .entryDropped,
            [],
            QueryError(.unreadableData, "Entries of the archive that \(what) are ignored: \(count). Their requests are fetched again.")
        )
    }
}

extension ArchivableValue {
    /// The encoded value; `nil` if the variant that it depends on is unknown.
    var entry: QueryClientArchive.Entry? {
        get throws {
            guard let key = try QueryCacheKey(request, persistence, context, of: value.variant) else { return nil }
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
