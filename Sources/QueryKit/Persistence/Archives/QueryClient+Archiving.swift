public import Foundation

/// Archives that are saved by themselves.
extension QueryClient {
    /// Saves an archive whenever a value has changed that is `persisted` or `archived`, and then nothing for a quiet period.
    ///
    /// ```swift
    /// let archiving = client.archive(matching: "trips/**") { archive in
    ///     try await backups.store(archive.data())
    /// }
    /// ```
    ///
    /// Besides new values, these are changes: an invalidation or removal by pattern, another session, and an archive that the client takes over. While
    /// changes keep coming, an archive is saved after ten quiet periods. Two saves never overlap; a change during a save causes one
    /// more. If a save fails, an event of the kind ``QueryEvent/Kind/storageFailed`` reports the error, and the next change saves again.
    ///
    /// An archive holds what ``dehydrate(matching:maxAge:)`` finds at that moment. Each save encodes all matches, so give large or
    /// many values a cache of their own. A store that was released for its age or a budget is not in the archive: use ``QueryRequest/keep(for:)`` for
    /// what has to stay. After a log-out the values of the former session are in no archive any more, except those that no store has used since
    /// they were taken over, which keep the name of their session.
    ///
    /// Call ``archiveNow()`` before the app is suspended. ``settled()`` waits for a save, and not for the quiet period.
    ///
    /// - Parameters:
    ///   - pattern: The requests whose values go along. Default: all.
    ///   - quiet: How long nothing must have changed, on the clock of the client. Default: 2 seconds.
    ///   - maxAge: Values of this age or older are left out. Default: none is.
    ///   - destination: Stores the archive. The client isn't kept alive while it works. Don't wait for ``settled()`` or ``archiveNow()`` in it.
    /// - Returns: What ends it, and cancels a save under way. It also ends when the client is deallocated. What has not been saved by then is not saved.
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

    /// Saves an archive in a file whenever a value has changed that is `persisted` or `archived`, and then nothing for a quiet period; see
    /// ``archive(matching:after:maxAge:to:)``.
    ///
    /// ```swift
    /// let file = URL.applicationSupportDirectory.appending(path: "archive.json")
    /// if let data = try? Data(contentsOf: file) { try await client.hydrate(from: data, maxAge: .seconds(7 * 24 * 3600)) }
    /// let archiving = client.archive(to: file)
    /// ```
    ///
    /// The file is replaced in one step: a reader finds the old archive or the new one, also if the process ends in between. Only its user can read
    /// it. A missing folder is created.
    ///
    /// - Parameters:
    ///   - file: The file that the archive replaces.
    ///   - pattern: The requests whose values go along. Default: all.
    ///   - quiet: How long nothing must have changed, on the clock of the client. Default: 2 seconds.
    ///   - maxAge: Values of this age or older are left out. Default: none is.
    /// - Returns: What ends it, and cancels a save under way.
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

    /// Saves what `archive(to:)` would save after the quiet period now, and returns when that is done: for the moment when the app goes to the background.
    ///
    /// Saves nothing where nothing has changed since the last save. Throws the error of a save that failed, after all have ended, and
    /// `CancellationError` as soon as the calling task is cancelled; the saves go on.
    public func archiveNow() async throws {
        var failure: (any Error)?
        // All begin before the first is waited for.
        let saves = archiveSavers.compactMap { $0.saveNow() }
        for save in saves {
            do { try await save.get() } catch { failure = failure ?? error }
            try Task.checkCancellation()
        }
        if let failure { throw failure }
    }

    var archiveSavers: [ArchiveSaver] { core.storedChangeListeners.withLock(\.self).compactMap { $0 as? ArchiveSaver } }
}
