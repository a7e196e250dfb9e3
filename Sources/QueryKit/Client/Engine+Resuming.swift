import Foundation

/// What the ledger has the journal do, and the resumption of calls that an earlier process, or another client, has left in it.
extension Engine {
    // MARK: Effects

    func append(_ call: CallEntry) async {
        var failure: (any Error)?
        do { try await call.work?.append() } catch { failure = error }
        enterNow { [failure] in $0.journaled(call, failure) }
    }

    func remove(_ call: CallEntry) async {
        await call.work?.remove()
        enterNow { $0.removed(call) }
    }

    func release(_ call: CallEntry) async {
        await call.work?.release()
        enter { $0.finishWriting() }
    }

    func askTurn(of call: CallEntry, _ attempt: Int) async {
        guard let turn = await call.work?.turn() else { return }
        enterNow { $0.take(turn, call, attempt: attempt) }
    }

    func extendLeases(of calls: [CallEntry]) async {
        let first = calls.lazy.compactMap { ($0.work as? TypedCall)?.journal }.first
        // Without the journal, other clients make the calls when the leases end.
        if let shared = first?.shared { try? await shared.extend(calls.map(\.id), to: holder.lease(at: clock.date)) }
        enterNow { $0.extended() }
    }

    func resumeFree(for call: CallEntry?, _ attempt: Int) async {
        let resume = holder.resume.withLock(\.self)
        await resume?()
        guard let call else { return enter { $0.endWork() } }
        enterNow { $0.resumedFree(call, attempt: attempt, canResume: resume != nil) }
    }

    /// Looks for calls that no client holds, for example because the app has become active.
    func lookForCalls() { if holder.resume.withLock({ $0 != nil }) { enter { $0.resumeFree() } } }

    // MARK: Resuming

    /// What has become of the calls in a journal.
    struct Resumed: Sendable {
        var calls: [UUID] = []
        /// Those that can't be decoded.
        var setAside: [(entry: MutationJournalEntry, reason: String)] = []
        /// Those that their requests refuse now. They stay.
        var refused: [(entry: MutationJournalEntry, error: any Error)] = []
        /// Those of unknown mutations, one for each name that was unknown for the first time. They stay.
        var unknown: [MutationJournalEntry] = []
    }

    /// Makes the calls of the journal again that belong to the present session, in their order and with their layers.
    func resumeCalls(_ mutations: [ResumableMutation]) async throws -> Resumed {
        let context = session.withLock { $0.context }
        guard let journal = context.mutationJournal else { return Resumed() }
        let known = Dictionary(mutations.map { ($0.name, $0) }) { first, _ in first }
        return try await holder.oneAfterTheOther {
            try await writeKept(of: context.session)
            enter { $0.beginResumption() }
            defer { enterNow { $0.endResumption() } }
            var resumed = Resumed()
            for entry in try await claim(journal, context.session, mutations) where enter({ $0.mayResume(entry.id) }) {
                try await resume(entry, known[entry.name], journal, &resumed)
            }
            return resumed
        }
    }

    private func resume(
        _ entry: MutationJournalEntry,
        _ mutation: ResumableMutation?,
        _ journal: any MutationJournal,
        _ resumed: inout Resumed
    ) async throws {
        do {
            if let mutation {
                if try mutation.make(entry, self) { resumed.calls.append(entry.id) }
                return
            }
            if holder.isFirst(ofUnknown: entry.name) { resumed.unknown.append(entry) }
        } catch let refusal as Refusal {
            resumed.refused.append((entry, refusal.error))
        } catch {
            let reason = (error as? Mismatch)?.reason ?? "it can't be decoded: \(error)"
            try await journal.setAside(entry.id, because: reason)
            return resumed.setAside.append((entry, reason))
        }
        // Another client may know or accept it.
        try await (journal as? any SharedMutationJournal)?.release([entry.id], by: holder.id)
    }

    /// Calls that were ended and stay in the journal may not be in it yet.
    private func writeKept(of session: String?) async throws {
        for call in enter({ $0.unwritten() }) where (call.work as? TypedCall)?.context.session == session {
            let signal = Signal()
            _ = await withUnsafeContinuation { continuation in
                enter { if $0.begin(signal, continuation) { $0.wait(for: call, signal) } }
            }
        }
    }

    /// The calls of a session, in order; in a shared journal, those that no other client holds.
    private func claim(
        _ journal: any MutationJournal,
        _ session: String?,
        _ mutations: [ResumableMutation]
    ) async throws -> [MutationJournalEntry] {
        guard let shared = journal as? any SharedMutationJournal else {
            return try await journal.entries().filter { $0.session == session }
        }
        holder.setResume { [weak self] in
            // The next look for calls throws the error of the journal, too.
            if let self, self.session.withLock({ $0.context.session }) == session { _ = try? await resumeCalls(mutations) }
        }
        let date = clock.date
        let claim = try await shared.claim(session: session, for: holder.lease(at: date), at: date)
        if let end = claim.othersUntil {
            // One second later: by then the lease has ended or has been extended.
            let seconds = min(max(end.timeIntervalSince(date), 0), JournalLeases.span / .seconds(1)) + 1
            enterNow { $0.lookForCalls(after: Nanoseconds(.seconds(seconds))) }
        }
        return claim.entries
    }

    /// Makes the call of an entry again. Returns false if it is under way or over.
    func resume<Request: DurableMutationRequest, Modified: QueryRequest>(
        _ entry: MutationJournalEntry,
        _ modify: (Request) -> Modified
    ) throws -> Bool where Modified.Value == Request.Value, Modified.State == Request.State {
        guard entry.version == Request.journalVersion else {
            throw Mismatch(reason: "it has version \(entry.version), and \(entry.name) has version \(Request.journalVersion)")
        }
        let request = modify(try JSONDecoder().decode(Request.self, from: entry.request))
        var draft = Draft(AnyValue(try JSONDecoder().decode(Request.Arguments.self, from: entry.arguments)))
        (draft.id, draft.entry) = (entry.id, entry)
        do {
            return try prepare(handle(for: request, Typing<Request.State>.shared), draft) { $0.resume($1, entry.id) }.1
        } catch {
            throw Refusal(error: error)
        }
    }

    private struct Mismatch: Error { let reason: String }

    /// The request of a call is not valid now, but may be at another time.
    private struct Refusal: Error { let error: any Error }
}
