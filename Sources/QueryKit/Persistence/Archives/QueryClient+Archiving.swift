public import Foundation

/// Automatic saving of archives.
extension QueryClient {
    /// Saves an archive when a `persisted` or `archived` value has changed, after a quiet period without further changes.
    ///
    /// ```swift
    /// let archiving = client.archive(matching: "trips/**") { archive in
    ///     try await backups.store(archive.data())
    /// }
    /// ```
    ///
    /// Besides new values, the following count as changes: an invalidation or removal by pattern, the beginning of another session, and an
    /// archive that you pass to `hydrate`. If changes continue, an archive is saved after ten quiet periods. Two saves never overlap; a
    /// change during a save causes one more save. If a save fails, an event of the kind ``QueryEvent/Kind/storageFailed`` reports the
    /// error, and the next change saves again.
    ///
    /// An archive contains the result of ``dehydrate(matching:maxAge:)`` at that moment. Each save encodes all matches, so for large or
    /// numerous values use a cache instead. A store that was released is not in the archive: use ``QueryRequest/keep(for:)`` for values
    /// that must stay. After a logout, archives contain no values of the previous session, except values from `hydrate` that no store has
    /// used yet, which keep the name of their session.
    ///
    /// Call ``archiveNow()`` before the app is suspended. ``settled()`` waits for a save, but not for the quiet period.
    ///
    /// - Parameters:
    ///   - pattern: The requests whose values are included. Default: all.
    ///   - quiet: How long to wait after the last change, on the clock of the client. Default: 2 seconds.
    ///   - maxAge: Values of this age or older are omitted. Default: no limit.
    ///   - destination: Stores the archive. The client isn't kept alive during this call. Don't wait for ``settled()`` or ``archiveNow()``
    ///     in it.
    /// - Returns: A subscription. Ending it stops the saving and cancels a save under way; so does deallocating the client. Unsaved changes
    ///   are lost.
    public func archive(
        matching pattern: QueryPattern = .all,
        after quiet: Duration = .seconds(2),
        maxAge: Duration = .infinity,
        to destination: @escaping @Sendable (QueryClientArchive) async throws -> Void
    ) -> QuerySubscription {
        let saver = ArchiveSaver(of: self, matching: pattern, after: quiet, maxAge: maxAge, to: destination)
        _ = core.patterns.listener(for: ObjectIdentifier(saver)) { _ in saver }
        core.storedChangeListeners.withLock { $0.append(saver) }
        let renewal = core.sessions.add { [weak saver] _ in saver?.noteChange() }
        let subscription = QuerySubscription {
            renewal.cancel()
            saver.end()
        }
        hold(subscription)
        return QuerySubscription { [weak core] in
            subscription.cancel()
            core?.held.withLock { _ = $0.remove(subscription) }
        }
    }

    /// Saves an archive to a file when a `persisted` or `archived` value has changed, after a quiet period without further changes; see
    /// ``archive(matching:after:maxAge:to:)``.
    ///
    /// ```swift
    /// let file = URL.applicationSupportDirectory.appending(
    ///     path: "archive.json"
    /// )
    /// if let data = try? Data(contentsOf: file) {
    ///     try await client.hydrate(
    ///         from: data,
    ///         maxAge: .seconds(7 * 24 * 3600)
    ///     )
    /// }
    /// let archiving = client.archive(to: file)
    /// ```
    ///
    /// The file is replaced in one step: a reader finds the old or the new archive, even if the process ends in between. Only its user can
    /// read it. A missing folder is created.
    ///
    /// - Parameters:
    ///   - file: The file that the archive replaces.
    ///   - pattern: The requests whose values are included. Default: all.
    ///   - quiet: How long to wait after the last change, on the clock of the client. Default: 2 seconds.
    ///   - maxAge: Values of this age or older are omitted. Default: no limit.
    /// - Returns: A subscription. Ending it stops the saving and cancels a save under way.
    public func archive(
        to file: URL,
        matching pattern: QueryPattern = .all,
        after quiet: Duration = .seconds(2),
        maxAge: Duration = .infinity
    ) -> QuerySubscription {
        archive(matching: pattern, after: quiet, maxAge: maxAge) { archive in
            let data = try await archive.data()
            try await ArchiveFile(path: file.path(percentEncoded: false)).replace(with: data)
        }
    }

    /// Immediately saves what `archive(to:)` would save after the quiet period, and waits for the save. Call it when the app enters the
    /// background.
    ///
    /// Saves nothing if nothing has changed since the last save. Throws the error of a failed save, after all saves have ended, and a
    /// `CancellationError` as soon as the calling task is cancelled; the saves continue.
    public func archiveNow() async throws {
        var failure: (any Error)?
        // Start all saves before waiting for the first.
        let saves = archiveSavers.compactMap { $0.saveNow() }
        for save in saves {
            do { try await save.get() } catch { failure = failure ?? error }
            try Task.checkCancellation()
        }
        if let failure { throw failure }
    }

    var archiveSavers: [ArchiveSaver] { core.storedChangeListeners.withLock(\.self).compactMap { $0 as? ArchiveSaver } }
}
