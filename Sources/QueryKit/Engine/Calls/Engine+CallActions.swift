import Foundation

/// What an app does with calls that it has made.
extension Engine {
    /// Ends a call and removes it from the journal. No effect after a success.
    func cancel(_ call: CallEntry) { enterNow { $0.withdraw(call) } }

    /// Ends the calls of all mutations that a pattern matches, and removes them from the journal, in one step.
    func withdrawCalls(matching pattern: QueryPattern) {
        // Elements of paths are compared by code of the app, so without the lock.
        let known = enter { Array($0.calls.values) + Array($0.kept.values) }
        let matching = known.filter { $0.shown.map { pattern.matches($0.entry.path) } ?? false }.sorted { $0.number < $1.number }
        if !matching.isEmpty { enterNow { $0.withdraw(matching) } }
    }

    /// Ends the calls of one mutation. Durable ones stay in the journal.
    func endCalls(_ handle: Handle) { if let own = look(handle) { enterNow { $0.endCalls(of: own) } } }

    func dismissError(_ handle: Handle) { if let own = look(handle) { enterNow { $0.dismissError(own) } } }

    // MARK: Repeating

    /// Repeats a call that has failed or was cancelled. Returns the call that was made instead of it last.
    func retry(_ call: CallEntry) throws -> CallEntry {
        let (latest, state) = enter { ledger in
            var latest = call
            while let successor = ledger[latest].successor { latest = successor }
            return (latest, ledger[latest].state)
        }
        if case .stuck = state { enterNow { $0.retry(latest) } }
        guard case .failure(let error)? = state.result, let work = latest.work as? TypedCall, let own = latest.shown?.entry else {
            return latest
        }
        // Another user must not repeat it.
        if work.settings.session != session.withLock({ $0.number }) { throw QueryError(.sessionEnded, path: own.path) }
        var draft = Draft(work.arguments)
        (draft.context, draft.mutation) = (work.context, work.mutation)
        // A server that has refused it might repeat its answer for the same key.
        if !work.context.isRefusal(error) { draft.repeats(latest.id) }
        let handle = Handle(engine: self, entry: own, settings: work.settings)
        let counted: CallEntry = try prepare(handle, draft) { $0.submit($1, insteadOf: latest) }.1
        return counted
    }

    /// Repeats the latest call that has ended, if it failed or was cancelled, and wasn't repeated yet.
    func retryLatest(_ handle: Handle) throws -> CallEntry? {
        guard let log = state(handle).record.notes as? CallLog else { return nil }
        guard let latest = log.calls.last(where: { !$0.isPending && !$0.isReplaced }) else { return nil }
        let error: any Error
        switch latest.status {
        case .failed(let failure): error = failure
        case .cancelled: error = CancellationError()
        case .waiting, .running, .paused, .succeeded: return nil
        }
        let isRefused = present(handle).settings.app?.context.isRefusal(error) ?? false
        var draft = Draft(latest.arguments)
        if !isRefused { draft.repeats(latest.id) }
        let counted: CallEntry? = try prepare(handle, draft) { $0.submit($1, insteadOf: latest.id) }.1
        return counted
    }
}

extension Engine.Draft {
    /// The call has the key of one that was made before, so the journal may still have it.
    mutating func repeats(_ former: UUID) { (id, isRepeated) = (former, true) }
}
