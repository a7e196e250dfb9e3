public import Foundation

/// Mutations: each call can have optimistic layers, a scope and an entry in the journal.
extension QueryClient: MutationHost {
    var mutationQueues: MutationQueues { core.mutationQueues }

    var journal: (any MutationJournal)? { context.mutationJournal }

    /// Calls a mutation, which may have modifiers, and waits for its result; see ``QueryStore/mutate(with:using:)``.
    public func mutate<Arguments: Sendable, Value: Sendable>(
        _ request: some QueryRequest<Value, MutationState<Arguments, Value>>,
        with arguments: Arguments
    ) async throws -> Value {
        try await store(for: request).mutate(with: arguments)
    }

    /// Calls a mutation, which may have modifiers, without waiting for it; see ``QueryStore/submit(_:using:onSuccess:onFailure:onEnd:)``.
    @discardableResult
    public func submit<Arguments: Sendable, Value: Sendable>(
        _ request: some QueryRequest<Value, MutationState<Arguments, Value>>,
        with arguments: Arguments,
        onSuccess: (@Sendable (Value) async -> Void)? = nil,
        onFailure: (@Sendable (any Error) async -> Void)? = nil,
        onEnd: (@Sendable (Result<Value, any Error>) async -> Void)? = nil
    ) throws -> MutationCall<Arguments, Value> {
        try store(for: request).submit(arguments, onSuccess: onSuccess, onFailure: onFailure, onEnd: onEnd)
    }

    /// Calls a mutation for a control, such as a slider. The call runs after the call under way, and replaces an earlier call of the
    /// control that still waits.
    func submitNewest<Arguments: Sendable, Value: Sendable>(
        _ request: some QueryRequest<Value, MutationState<Arguments, Value>>,
        with arguments: Arguments
    ) throws -> MutationCall<Arguments, Value> {
        let store = store(for: request)
        let settings = store.settings
        let mutation = settings.request.mutation
        let serial = SerialMutation(mutation, scope: ControlScope.name(of: mutation, at: store.path))
        let call = MutationCall(try Call.make(serial, store.core, settings, with: mutation.boxes.box(arguments)), of: store)
        let former = core.controlCalls.withLock { $0.updateValue(call.id, forKey: store.identity) }
        // Cancel the previous call only now, so that the shown value changes directly from the value of that call to the new one.
        if let former, case .waiting = store.state.history.last(where: { $0.id == former })?.status { store.cancelMutation(former) }
        return call
    }

    /// Like ``submitNewest(_:with:)``, for a binding, which can't throw: if the mutation is refused, an event reports it.
    func writeNewest<Arguments: Sendable, Value: Sendable>(
        _ arguments: Arguments,
        via request: some QueryRequest<Value, MutationState<Arguments, Value>>
    ) {
        do {
            _ = try submitNewest(request, with: arguments)
        } catch {
            core.report(QueryEvent(kind: .mutationRefused, path: request.path, cause: .manual, instant: context.clock.now, error: error))
        }
    }

    /// Cancels the calls of all mutations that a pattern matches, and removes them from the journal. Calls that `cancel`, `reset` or
    /// `remove` has ended, and that have stayed in the journal, are removed from it, too. Calls of an earlier session stay in the journal:
    /// they belong to another user.
    public func cancelMutations(_ pattern: QueryPattern = .all) {
        let queues = core.mutationQueues
        queues.end(matching: pattern, .withdrawn)
        // Remove the kept calls only now, because a call that ended in the meantime was kept in the journal.
        for call in queues.takeKept(matching: pattern) {
            queues.withdraw(call.id, from: journal, countedBy: core.work) { [core] error in
                core.report(QueryEvent(kind: .storageFailed, path: call.path, cause: .manual, instant: core.clock.now, error: error))
            }
        }
        core.checkSpelling(of: pattern)
    }

    /// Repeats the calls that an earlier process wrote to the journal and did not finish: immediately, in order, and with their layers.
    ///
    /// Call it at launch with all durable mutations of the app, before you show anything. Calls that wait for the network continue when it
    /// is back. An entry that can't be decoded, for example because its version differs, is set aside in the journal and reported; nothing
    /// is lost. An entry of a mutation that is not in the list stays in the journal, for another process or a later version of the app.
    /// Each such name is reported once, as ``QueryEvent/Kind/mutationRefused`` and ``QueryMistake/Kind/unknownMutation``. A call that
    /// ``QueryRequest/validate(in:)`` currently refuses, for example before login, stays in the journal and is reported as
    /// ``QueryEvent/Kind/mutationRefused``. Call this method again when the request can be valid. A call that stays in the journal does not
    /// hold up the other calls of its scope.
    ///
    /// ```swift
    /// try await client.resumeMutations([
    ///     .init(LogFood.self), .init(SendPhoto.self) { $0.retry(limit: 5) },
    /// ])
    /// ```
    ///
    /// - Returns: The ids of the calls that were resumed, and the entries that were set aside.
    @discardableResult
    public func resumeMutations(
        _ mutations: [ResumableMutation]
    ) async throws -> (resumed: [UUID], setAside: [MutationJournalEntry]) {
        guard let journal else { return ([], []) }
        let byName = Dictionary(grouping: mutations) { $0.name }
        if let name = byName.first(where: { $0.value.count > 1 })?.key {
            throw QueryError(.invalidParameters, "Two mutations are called \(name) in the journal. Give one of them another journalName.")
        }
        for mutation in mutations { try QueryError.refuse(mutation: mutation.name, of: mutation.type, in: core.share) }
        let turn = UUID()
        let former = mutationQueues.enter(.resumption, turn, resume: {}, hold: { _ in })
        defer { mutationQueues.leave(.resumption, turn) }
        try await former?.get()
        let ends = mutationQueues.beginResumption(of: context.session)
        defer { mutationQueues.endResumption() }
        for end in ends { try await end.get() }
        var resumed: [UUID] = []
        var aside: [MutationJournalEntry] = []
        for entry in try await claim(of: journal, for: mutations) where mutationQueues.claim(entry.id) {
            defer { mutationQueues.endClaim() }
            guard let mutation = byName[entry.name]?.first else {
                reportUnknown(entry)
                try await release(entry)
                continue
            }
            do {
                try mutation.resume(entry, self)
                resumed.append(entry.id)
            } catch let refusal as MutationRefusal {
                report(.mutationRefused, entry, refusal.error)
                try await release(entry)
            } catch {
                let reason = (error as? JournalMismatch)?.reason ?? "it can't be decoded: \(error)"
                try await journal.setAside(entry.id, because: reason)
                aside.append(entry)
                let reported = QueryError(
                    .invalidParameters,
                    "A call in the journal can't be resumed and was set aside: \(reason). The journal's setAside lists it.",
                    underlying: error
                )
                report(.entryDropped, entry, reported)
            }
        }
        return (resumed, aside)
    }

    /// Lets another client make a call that this one leaves in the journal.
    private func release(_ entry: MutationJournalEntry) async throws {
        try await (journal as? any SharedMutationJournal)?.release([entry.id], by: mutationQueues.leases.holder)
    }

    /// Reports a call whose mutation is unknown, once for each name.
    private func reportUnknown(_ entry: MutationJournalEntry) {
        guard mutationQueues.isFirst(ofUnknown: entry.name) else { return }
        let message = """
            Calls of \(entry.name) stay in the journal, because resumeMutations got no mutation with this name. Add it to the list. If its \
            type has a new name, declare the former one: `static let journalName = "\(entry.name)"`.
            """
        report(.mutationRefused, entry, QueryError(.invalidParameters, message))
        core.report(.unknownMutation, about: entry.name, message)
    }

    /// The calls of the session, in order. In a shared journal, these are only the calls that no other client holds. The client looks for
    /// the other calls again when they may be free.
    private func claim(of journal: any MutationJournal, for mutations: [ResumableMutation]) async throws -> [MutationJournalEntry] {
        let session = context.session
        guard let shared = journal as? any SharedMutationJournal else {
            return try await journal.entries().filter { $0.session == session }
        }
        let isFirst = mutationQueues.leases.resume { [weak self] in
            // Ignore an error of the journal here: the next time that the client looks for calls, the journal will throw it, too.
            if let self, self.context.session == session { _ = try? await resumeMutations(mutations) }
        }
        if isFirst, let activity = context.activityObserver {
            // The other client may be an extension of the app that has ended since then.
            hold(activity.observe { [weak core] isActive in if isActive, let core { core.mutationQueues.leases.look(for: core) } })
        }
        let clock = context.clock
        let date = clock.date
        let claim = try await shared.claim(session: session, for: mutationQueues.leases.lease(at: date), at: date)
        if let end = claim.othersUntil {
            // One second later: by then the lease has ended or has been extended.
            let seconds = min(max(end.timeIntervalSince(date), 0), JournalLeases.span / .seconds(1)) + 1
            mutationQueues.leases.lookAgain(in: .seconds(seconds), for: core, on: clock)
        }
        return claim.entries
    }

    /// Resumes the calls of mutations without modifiers; see ``resumeMutations(_:)``.
    @discardableResult
    public func resumeMutations(
        of types: [any DurableMutationRequest.Type]
    ) async throws -> (resumed: [UUID], setAside: [MutationJournalEntry]) {
        try await resumeMutations(types.map { ResumableMutation($0) })
    }

    private func report(_ kind: QueryEvent.Kind, _ entry: MutationJournalEntry, _ error: any Error) {
        core.report(QueryEvent(kind: kind, path: [entry.name], cause: .restored, instant: context.clock.now, error: error))
    }
}

/// A durable mutation whose calls ``QueryClient/resumeMutations(_:)`` makes again.
public struct ResumableMutation: Sendable {
    let name: String
    let type: any DurableMutationRequest.Type
    /// Repeats the call of a journal entry.
    let resume: @Sendable (MutationJournalEntry, QueryClient) throws -> Void
    /// Makes the call of a journal entry again. Returns false if it is under way or over.
    let make: @Sendable (MutationJournalEntry, Engine) throws -> Bool

    /// Resumes calls of a mutation without modifiers.
    public init<Request: DurableMutationRequest>(_ type: Request.Type) { self.init(type) { $0 } }

    /// Resumes calls of a mutation with the modifiers that the closure adds: the journal doesn't store the modifiers of a call.
    public init<Request: DurableMutationRequest, Modified: QueryRequest>(
        _ type: Request.Type,
        _ modify: @escaping @Sendable (Request) -> Modified
    ) where Modified.Value == Request.Value, Modified.State == Request.State {
        name = Request.journalName
        self.type = type
        make = { entry, engine in try engine.resume(entry, modify) }
        resume = { entry, client in
            guard entry.version == Request.journalVersion else {
                throw JournalMismatch(reason: "it has version \(entry.version), and \(entry.name) has version \(Request.journalVersion)")
            }
            let decoder = JSONDecoder()
            let request = try decoder.decode(Request.self, from: entry.request)
            let arguments = try decoder.decode(Request.Arguments.self, from: entry.arguments)
            do {
                // The client's ``MutationQueues`` own the task and cancel it.
                let store = client.store(for: modify(request))
                let settings = store.settings
                var mutation = settings.request.mutation
                // The mutation was called by a control; see submitNewest.
                if mutation.scope == nil, let scope = entry.scope { mutation = SerialMutation(mutation, scope: scope) }
                try Call.make(mutation, store.core, settings, with: AnyValue(arguments), .resumed(entry))
            } catch {
                throw MutationRefusal(error: error)
            }
        }
    }
}

private struct JournalMismatch: Error {
    let reason: String
}

/// The request of a call is not valid now, but may be at another time.
private struct MutationRefusal: Error {
    let error: any Error
}
