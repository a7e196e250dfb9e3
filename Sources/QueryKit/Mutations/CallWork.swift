import Foundation

/// One call of a mutation, from its layers to its end.
///
/// It begins on the caller's thread, so that its layers show when `mutate` is called; the rest runs in a task that the client's
/// ``MutationLines`` can cancel. It counts as work from begin to end, except while it waits for others.
struct CallWork<Arguments: Sendable, Value: Sendable>: Sendable {
    typealias Store = QueryStore<MutationState<Arguments, Value>>

    let id: UUID
    let arguments: Arguments
    let store: Store
    let request: any MutationRequest<Arguments, Value>
    let context: QueryContext
    /// Whether it stands in the journal already.
    private let isResumed: Bool
    /// Whether it was made before in this process, so that the journal may still hold it.
    private let isRepeated: Bool
    let outcome = CallOutcome<Value>()
    private let cancellation: CallCancellation
    /// The stores over whose values it has laid something.
    private let layered: [StoreCore]
    /// What it changes in data sources, if it has laid something.
    private let effects: CallEffects?
    private let scopeTurn: Promise<Void>?
    private let journalTurn: Promise<Void>?
    /// Whether it is its turn in the lines.
    private let isCalledUp = SharedFlag()
    private let mayWrite = SharedFlag()
    /// Raised when the journal holds the call.
    private let isWrittenDown = SharedFlag()
    /// Counts the call while it works.
    private let token: WorkToken
    /// Keeps queries waiting, after the network came back, until the call is over.
    private let pass = Lock<QuerySubscription?>(nil)

    /// Held by themselves, so that they are there when client or session is gone.
    private let lines: MutationLines?
    private let journal: (any MutationJournal)?

    /// `nil` once the session of the call is over.
    private var host: (any MutationHost)? { context.mutationHost }

    // MARK: Beginning

    /// Notes the call, lays its layers, and takes its places in line. Throws, and nothing has happened, if the request makes no sense or if the
    /// session ends before the call is noted.
    ///
    /// - Parameters:
    ///   - repeated: The id of a call that is made again.
    ///   - entry: What the journal holds of the call, if it is resumed.
    init(
        _ store: Store,
        _ arguments: Arguments,
        using override: QueryContext?,
        repeating repeated: UUID? = nil,
        resuming entry: MutationJournalEntry? = nil
    ) throws {
        let stored = store.settings.request
        guard let request = stored.unwrapped as? any MutationRequest<Arguments, Value> else {
            preconditionFailure("\(stored) has the state of a mutation and is none")
        }
        var context = try override.map { try store.core.inSession($0) } ?? store.context
        // The session of the entry may have ended while the entry was decoded.
        if let entry, entry.session != context.session { throw store.core.sessionEnded }
        let id = entry?.id ?? repeated ?? UUID()
        context[MutationCallKey.self] = MutationCallArguments(id: id, arguments: arguments)
        try request.validate(in: context)

        self.id = id
        self.arguments = arguments
        self.store = store
        self.request = request
        self.context = context
        cancellation = CallCancellation(of: id)
        isResumed = entry != nil
        isRepeated = repeated != nil
        let token = store.core.host.work.begin()
        self.token = token
        let host = context.mutationHost
        lines = host?.lines
        // Before anything shows: handlers that see the call may cancel it, and so may the end of its session.
        lines?.add(cancellation, store.path, of: store.core.ticket, in: context)
        let date = entry?.date ?? context.clock.date
        let note = CallNote(id: id, arguments: AnyValue(arguments), submittedAt: date)
        let limit = store.context.settings.historyLength
        let isNoted = store.core.noteCalls(in: context) { $0.adding(note, keeping: limit) }
        guard isNoted else {
            lines?.remove(id)
            token.end()
            throw store.core.sessionEnded
        }
        journal = request is any DurableMutationRequest ? host?.journal : nil
        (layered, effects) = Self.layers(of: request, arguments, id, host, store, context)
        let count = { @Sendable (turn: SharedFlag) in
            { @Sendable in
                turn.raise()
                token.wake()
            }
        }
        let hold = { @Sendable [pass] taken in Self.take(taken, pass) }
        journalTurn = entry == nil && journal != nil ? lines?.enter(.journal, id, wake: count(mayWrite), hold: hold) : nil
        if let scope = request.scope {
            scopeTurn = lines?.enter(.scope(scope), id, isResumed: entry != nil, wake: count(isCalledUp), hold: hold)
        } else {
            scopeTurn = nil
        }
        if !layered.isEmpty, !cancellation.attach(layered: layered) { removeLayers(from: layered) }
    }

    /// Holds a pass. A pass held before is released outside the lock.
    private static func take(_ taken: QuerySubscription, _ pass: Lock<QuerySubscription?>) {
        _ = pass.withLock { pass in
            defer { pass = taken }
            return pass
        }
    }

    private static func layers(
        of request: any MutationRequest<Arguments, Value>,
        _ arguments: Arguments,
        _ id: UUID,
        _ host: (any MutationHost)?,
        _ store: Store,
        _ context: QueryContext
    ) -> ([StoreCore], CallEffects?) {
        guard let host else { return ([], nil) }
        var layers = QueryLayers(context)
        do {
            try RunScope.outside { Result { try request.optimistic(with: arguments, in: &layers) } }.get()
        } catch {
            store.core.report(.layerFailed, .optimistic, error)
            return ([], nil)
        }
        if layers.declarations.isEmpty { return ([], nil) }
        let owner = LayerOwner(id: id, context: context, effects: CallEffects())
        let layered = LayerFollowUps.carryOut(for: store.core.host) { rest in
            layers.declarations.map { $0.place(in: host, for: owner, leaving: rest) }
        }
        return (layered, owner.effects)
    }

    // MARK: The rest

    /// Starts the task that carries the call to its end. The client's lines can cancel it.
    @discardableResult
    func start(_ handlers: CallHandlers<Value> = CallHandlers()) -> Task<Void, Never> {
        // Detached: it is known as part of the present run, and inherits nothing else from the caller.
        let task = Task.detached(priority: Task.currentPriority) { [scope = RunScope.current] in
            let result: Result<Value, any Error> = await RunScope.$current.withValue(scope) {
                do { return .success(try await finish()) } catch { return .failure(error) }
            }
            outcome.resolve(result)
            if !handlers.isEmpty { await handlers.call(with: result) }
            token.end()
        }
        cancellation.attach(task)
        return task
    }

    /// Withdraws the call because its caller was cancelled.
    func giveUp(_ task: Task<Void, Never>) {
        cancellation.giveUp()
        task.cancel()
    }

    private func finish() async throws -> Value {
        defer { end() }
        do {
            if cancellation.isRequested { throw CancellationError() }
            try await writeDown(in: journalTurn)
            if let scopeTurn { try await wait(for: scopeTurn, isCalledUp) }
            try Task.checkCancellation()
            if cancellation.isRequested { throw CancellationError() }
            let value: Value = try await store.core.runPrivately(store.settings, context, notes: runNotes).value.unboxed(as: Value.self)
            cancellation.succeed()
            var unchanged: [StoreCore] = []
            changeLayers { if $0.landLayers(of: id, leaving: $1) { unchanged.append($0) } }
            if request is any SourceBackedMutation {
                for store in unchanged { store.invalidate() }
            }
            for pattern in request.invalidates(with: arguments, value: value) { host?.invalidate(pattern, refetch: .active) }
            changeLayers { $0.finishLayers(of: id, leaving: $1) }
            await forget(evenWithoutSession: true)
            return value
        } catch {
            removeLayers(from: cancellation.fail())
            await cancellation.carriedOut()
            let date = context.clock.date
            // Its run has noted how it ended, if it got that far.
            store.core.noteCalls { log in
                guard log.isPending(id) else { return nil }
                return log.changing(id) { $0.end(error is CancellationError ? .cancelled : .failed(error), at: date) }?.log
            }
            // A call that was left stays in the journal with its idempotency key: it may or may not have taken effect.
            if error is CancellationError, cancellation.isLeft { await writeDownLate() } else { await forget() }
            throw error
        }
    }

    /// The layers of one call are one change.
    private func changeLayers(_ change: (StoreCore, LayerFollowUps) -> Void) {
        guard !layered.isEmpty else { return }
        LayerFollowUps.carryOut(for: store.core.host) { rest in
            for store in layered { change(store, rest) }
        }
    }

    private func removeLayers(from stores: [StoreCore]) {
        if stores.isEmpty { return }
        LayerFollowUps.carryOut(for: store.core.host) { rest in
            for store in stores { store.removeLayers(of: [id], leaving: rest) }
        }
    }

    private func end() {
        lines?.remove(id)
        // Queries that wait for this call wait for the next of its scope too.
        let pass = pass.withLock { pass in
            defer { pass = nil }
            return pass
        }
        if let scope = request.scope, let lines { lines.leave(.scope(scope), id, handing: pass) } else { pass?.cancel() }
        lines?.leave(.journal, id)
    }

    /// Waits in a line. While it waits, the call does not count as working; the call that wakes it counts it again.
    private func wait(for turn: Promise<Void>, _ isItsTurn: SharedFlag) async throws {
        if !isItsTurn.isRaised { token.rest() }
        // It may have been called up in between.
        if isItsTurn.isRaised { token.wake() }
        defer { token.wake() }
        try await withTaskCancellationHandler {
            try await turn.get()
        } onCancel: { [token] in
            token.wake()
        }
    }

    // MARK: Journal

    /// Calls are written down in the order in which they were made.
    private func writeDown(in turn: Promise<Void>?) async throws {
        guard !isResumed, let journal, let request = request as? any DurableMutationRequest else { return }
        if let turn { try await wait(for: turn, mayWrite) }
        if isRepeated, try await journal.entries().contains(where: { $0.id == id }) {
            isWrittenDown.raise()
            lines?.leave(.journal, id)
            return
        }
        if let entry = try request.entry(id, arguments, session: context.session, date: context.clock.date) {
            try await journal.append(entry)
        }
        isWrittenDown.raise()
        // A call whose write failed keeps its place until it ends, because `writeDownLate()` may still write it.
        lines?.leave(.journal, id)
    }

    /// Writes a call into the journal that was left before it was written, so that the user's input is not lost.
    private func writeDownLate() async {
        guard !isWrittenDown.isRaised, let journal else { return }
        // In a new task, because the task of the call is cancelled.
        await Task {
            do {
                // The cancellation ended the wait, but not the place in line.
                let turn = lines?.waitAgain(in: .journal, id)
                // An append that was cancelled may have written the entry all the same.
                if turn == nil, try await journal.entries().contains(where: { $0.id == id }) { return }
                try await writeDown(in: turn)
            } catch {
                store.core.report(.journalFailed, .manual, error)
            }
        }.value
    }

    /// The call is over and need not be made again, unless it ended with its session: then it is made when the session is back.
    private func forget(evenWithoutSession: Bool = false) async {
        guard let journal, evenWithoutSession || host != nil else { return }
        // In a task of its own: a call that was cancelled is forgotten all the same.
        await Task { [id, store] in
            do {
                try await journal.remove(id)
            } catch {
                store.core.report(.journalFailed, .manual, error)
            }
        }.value
    }

    // MARK: What the state shows

    private var runNotes: MutationRunHooks {
        let id = self.id
        return MutationRunHooks(
            owner: id,
            effects: effects,
            begin: { record, number, date in
                if record.noteCall(id, { $0.begin(as: number, at: date) }) { record.setFailures(0, nil) }
            },
            yield: { record, value in _ = record.noteCall(id) { $0.progress = value } },
            fail: { record, error in record.noteFailure(of: id, error) { _ in } },
            end: { record, result, date in
                switch result.result {
                case .success(let value): _ = record.noteCall(id) { $0.end(.succeeded(value), at: date) }
                case .failure(let error): record.noteFailure(of: id, error) { $0.end(.failed(error), at: date) }
                case nil: _ = record.noteCall(id) { $0.end(.cancelled, at: date) }
                }
            },
            token: token,
            hold: { [pass] in Self.take($0, pass) }
        )
    }
}

extension DurableMutationRequest {
    /// The entry of a call whose arguments come without their type.
    fileprivate func entry(_ id: UUID, _ arguments: any Sendable, session: String?, date: Date) throws -> MutationJournalEntry? {
        guard let arguments = arguments as? Arguments else { return nil }
        return try journalEntry(id, arguments, session: session, date: date)
    }
}

extension QueryRecord {
    /// Changes one call in the log; returns whether it is the latest.
    fileprivate mutating func noteCall(_ id: UUID, _ change: (inout CallNote) -> Void) -> Bool {
        guard let (log, isLatest) = (notes as? CallLog)?.changing(id, change) else { return false }
        notes = log
        return isLatest
    }

    /// Counts an attempt that failed.
    fileprivate mutating func noteFailure(of id: UUID, _ error: any Error, _ change: (inout CallNote) -> Void) {
        var count = 0
        let isLatest = noteCall(id) { call in
            call.failureCount += 1
            count = call.failureCount
            change(&call)
        }
        if isLatest { setFailures(UInt32(count), error) }
    }
}
