/// The mutations of a client, and its journal.
extension ClientInspection {
    /// The calls that are pending, and those that the states of the mutations still list, in the order in which they were made.
    ///
    /// - Parameters:
    ///   - includingArguments: Whether to describe the arguments. If `false`, no description that the app defines is called.
    ///   - limit: The maximum number of characters of the arguments.
    package func mutations(includingArguments: Bool, limit: Int = 10_000) -> [MutationRow] {
        guard let core else { return [] }
        let pending = Dictionary(core.mutationQueues.pending.map { ($0.call.id, ($0.number, $0.call as? Call)) }) { first, _ in first }
        var rows: [MutationRow] = []
        for store in StoreWalk(core) where !store.typing.runsByItself {
            guard let log = store.notes as? CallLog else { continue }
            let (path, mutation) = (store.path.text(showsValues: showsValues), store.request.mutation)
            for note in log.calls {
                let (number, call) = pending[note.id] ?? (nil, nil)
                rows.append(
                    MutationRow(
                        id: note.id,
                        call: number,
                        store: store.ticket.id,
                        path: path,
                        status: MutationRow.Status(note.status),
                        scope: (call.map(\.mutation.scope) ?? mutation.scope).map(shown),
                        attempts: note.attemptCount,
                        submittedAt: note.submittedAt,
                        startedAt: note.startedAt,
                        endedAt: note.endedAt,
                        arguments: includingArguments ? mutation.inspect(note.arguments, limit: limit).text : nil,
                        isDurable: call.map(\.mutation.isDurable) ?? mutation.isDurable,
                        layers: (call?.layered ?? []).map { $0.path.text(showsValues: showsValues) }.sorted(),
                        error: note.error.map { ShortText.kind(of: $0) }
                    )
                )
            }
        }
        return rows.sorted { ($0.submittedAt, $0.call ?? 0) < ($1.submittedAt, $1.call ?? 0) }
    }

    private func shown(scope: String) -> String { showsValues ? scope : ControlScope.text(of: scope) }

    /// The calls in the mutation journal, in order; empty without a journal.
    package func journalRows() async throws -> [JournalRow] {
        guard let core, let journal = core.context.withLock({ $0 }).mutationJournal else { return [] }
        return try await journal.entries().map { entry in
            JournalRow(
                id: entry.id,
                name: entry.name,
                version: entry.version,
                date: entry.date,
                session: entry.session,
                scope: entry.scope.map(shown),
                isPending: core.mutationQueues.contains(entry.id)
            )
        }
    }
}

extension MutationRow.Status {
    fileprivate init(_ status: CallNote.Status) {
        self =
            switch status {
            case .waiting: .queued
            case .running: .running
            case .paused: .paused
            case .succeeded: .succeeded
            case .failed: .failed
            case .cancelled: .cancelled
            }
    }
}

extension CallNote {
    /// The error of a call that has failed.
    fileprivate var error: (any Error)? { if case .failed(let error) = status { error } else { nil } }
}
