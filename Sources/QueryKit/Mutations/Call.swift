import Foundation

/// One call of a mutation, from its layers to its end, without its types. ``MutationCall`` is the typed face of it.
///
/// It begins on the caller's thread, so its layers show when `mutate` is called. One task does the rest, see ``carryOut(_:after:_:)``; the
/// client's ``MutationLines`` can cancel it. A call counts as work from begin to end, except while it waits for others.
final class Call: EndableCall {
    let id: UUID
    let arguments: AnyValue
    let context: QueryContext
    let outcome = CallOutcome()
    let mutation: any AnyMutation
    let store: StoreCore
    private let settings: RequestSettings
    let origin: Origin
    // Invariant: set before the call has a task.
    /// What it changes in data sources, if it has layers or is part of a call that has some.
    nonisolated(unsafe) private(set) var effects: CallEffects?
    /// Counts the call while it works.
    let token: WorkToken

    /// Held by themselves, so that they are there when client or session is gone.
    let lines: MutationLines?
    let journal: (any MutationJournal)?
    /// The journal, if other clients share it.
    let shared: (any SharedMutationJournal)?

    let progress: Lock<CallProgress>
    /// Raised when it is the call's turn in its scope, and in the journal.
    private let isCalledUp = SharedFlag()
    let mayWrite = SharedFlag()
    /// Raised when the journal holds the call.
    let isWrittenDown = SharedFlag()
    /// Keeps queries waiting, after the network came back, until the call is over.
    let pass = Lock<QuerySubscription?>(nil)

    /// Where a call comes from.
    enum Origin {
        case new
        /// It was made before in this process, so the journal may still hold it.
        case repeated(UUID)
        /// The journal holds it.
        case resumed(MutationJournalEntry)
    }

    /// `nil` once the session of the call is over.
    private var host: (any MutationHost)? { context.mutationHost }

    var path: QueryPath { settings.request.path }
    var ticket: StoreTicket { store.ticket }

    /// What the journal holds of the call, if it comes from there.
    var entry: MutationJournalEntry? { if case .resumed(let entry) = origin { entry } else { nil } }

    // MARK: Beginning

    /// Makes a call: notes it, lays its layers, takes its places in line, and starts the task that does the rest. Returns the call with the same id
    /// instead, if that is on its way.
    ///
    /// Throws, and nothing has happened, if the request makes no sense or if the session has ended.
    @discardableResult
    static func make(
        _ store: StoreCore,
        _ settings: RequestSettings,
        with arguments: AnyValue,
        using override: QueryContext? = nil,
        _ origin: Origin = .new,
        handlers: CallHandlers? = nil
    ) throws -> Call {
        var context = try override.map { try store.inSession($0) } ?? settings.context
        let id: UUID
        switch origin {
        case .new:
            id = UUID()
        case .repeated(let repeated):
            id = repeated
        case .resumed(let entry):
            id = entry.id
            // The session of the entry may have ended while the entry was decoded.
            if entry.session != context.session { throw store.sessionEnded }
        }
        context.call = MutationCallArguments(id: id, arguments: arguments)
        try settings.request.validate(in: context)
        let call = Call(store, settings, arguments, id, context, origin, handlers)
        // Before anything shows: handlers that see the call may cancel it, and so may the end of its session.
        if let known = call.lines?.add(call) as? Call {
            // It is made again a second time, or resumed as well.
            call.token.end()
            return known
        }
        try call.begin()
        return call
    }

    private init(
        _ store: StoreCore,
        _ settings: RequestSettings,
        _ arguments: AnyValue,
        _ id: UUID,
        _ context: QueryContext,
        _ origin: Origin,
        _ handlers: CallHandlers?
    ) {
        self.store = store
        self.settings = settings
        self.arguments = arguments
        self.id = id
        self.context = context
        self.origin = origin
        mutation = settings.request.mutation
        let host = context.mutationHost
        lines = host?.lines
        journal = mutation.isDurable ? host?.journal : nil
        shared = journal.flatMap { $0 as? any SharedMutationJournal }
        let scope = RunScope.current
        // What a mutation inside of another one changes, the outer one changes too.
        effects = scope?.effects
        progress = Lock(CallProgress(madeBy: CallProgress.Caller(scope: scope, handlers: handlers)))
        token = store.host.work.begin()
    }

    private func begin() throws {
        let mustBeWritten = journal != nil && entry == nil
        // A call that waits for nothing is at work when it first shows.
        let run = mustBeWritten || mutation.scope != nil ? nil : beginRun(andNote: true)
        guard run != nil || noteInLine(if: mustBeWritten || mutation.scope != nil) else {
            lines?.remove(id)
            token.end()
            throw store.sessionEnded
        }
        let layered = placeLayers()
        let journalTurn = mustBeWritten ? enter(.journal, raising: mayWrite) : nil
        let scopeTurn = mutation.scope.flatMap { enter(.scope($0), raising: isCalledUp) }
        if !layered.isEmpty, !progress.withLock({ $0.attach(layered: layered) }) { removeLayers(from: layered) }
        if entry != nil { holdLease() }
        // Detached: it inherits nothing from the caller.
        let task = Task.detached(priority: Task.currentPriority) { [self] in await carryOut(run, after: journalTurn, scopeTurn) }
        if !progress.withLock({ $0.attach(task) }) { task.cancel() }
    }

    /// Notes a call that has to wait. Returns `false` if its session has ended.
    private func noteInLine(if mustWait: Bool) -> Bool {
        guard mustWait else { return false }
        let note = note(at: context.clock.date)
        return store.noteCalls(in: context) { [limit] in $0.adding(note, keeping: limit) }
    }

    private var limit: Int { settings.context.settings.historyLength }

    private func note(at date: Date) -> CallNote { CallNote(id: id, arguments: arguments, submittedAt: entry?.date ?? date) }

    /// Begins the run of the call; `nil` if its session has ended.
    private func beginRun(andNote isNew: Bool) -> StoreRun? {
        let date = context.clock.date
        let begun = store.change(with: settings) { contents, input, _, settings in
            contents.beginPrivateRun(context, settings, input) { machine, record in
                let effects = machine.beginPrivate(&record)
                let number = machine.lastNumber
                if isNew {
                    let log = record.notes as? CallLog ?? .empty
                    record.notes = log.adding(note(at: date), keeping: limit) { $0.begin(as: number, at: date) }
                    record.setFailures(0, nil)
                } else if record.noteCall(id, { $0.begin(as: number, at: date) }) {
                    record.setFailures(0, nil)
                }
                return effects
            }
        }
        guard let begun else { return nil }
        let run = store.makePrivateRun(begun, context: context, token: token, owner: self)
        progress.withLock { $0.begin(run) }
        return run
    }

    private func enter(_ line: MutationLines.Line, raising isItsTurn: SharedFlag) -> Promise<Void>? {
        let wake = { @Sendable [token] in
            isItsTurn.raise()
            token.wake()
        }
        return lines?.enter(line, id, isResumed: entry != nil, wake: wake) { [self] in hold($0) }
    }

    // MARK: Layers

    private func placeLayers() -> [StoreCore] {
        guard let host else { return [] }
        let layers = declaredLayers
        if layers.isEmpty { return [] }
        let effects = CallEffects(within: effects)
        self.effects = effects
        let owner = LayerOwner(id: id, context: context, effects: effects)
        return LayerFollowUps.carryOut(for: store.host) { rest in
            layers.map { $0.place(in: host, for: owner, leaving: rest) }
        }
    }

    private var declaredLayers: [any LayerDeclaration] {
        var layers = QueryLayers(context)
        do {
            try RunScope.outside { Result { try mutation.declareLayers(with: arguments, in: &layers) } }.get()
            return layers.declarations
        } catch {
            store.report(.layerFailed, .optimistic, error)
            return []
        }
    }

    /// The layers of one call are one change.
    private func changeLayers(of stores: [StoreCore], _ change: (StoreCore, LayerFollowUps) -> Void) {
        guard !stores.isEmpty else { return }
        LayerFollowUps.carryOut(for: store.host) { rest in
            for store in stores { change(store, rest) }
        }
    }

    private func removeLayers(from stores: [StoreCore]) { changeLayers(of: stores) { $0.removeLayers(of: [id], leaving: $1) } }

    // MARK: The rest

    /// What the task of the call does.
    ///
    /// - Parameter run: The run, if that has begun already.
    private func carryOut(_ run: StoreRun?, after journalTurn: Promise<Void>?, _ scopeTurn: Promise<Void>?) async {
        do {
            let run = if let run { run } else { try await beginRun(after: journalTurn, scopeTurn) }
            let isWanted = progress.withLock { $0.end == nil }
            let result = isWanted ? await RunScope.$current.withValue(RunScope(of: run)) { await AttemptLoop(run: run).result() } : nil
            run.close()
            guard progress.withLock({ $0.endRun() }) else { return }
            await end(run, with: result)
        } catch {
            await finish(with: .failure(error))
        }
    }

    private func beginRun(after journalTurn: Promise<Void>?, _ scopeTurn: Promise<Void>?) async throws -> StoreRun {
        try checkEnd()
        try await writeDown(in: journalTurn)
        if let scopeTurn { try await wait(for: scopeTurn, isCalledUp) }
        try await waitForOthers()
        try checkEnd()
        guard let run = beginRun(andNote: false) else { throw store.sessionEnded }
        return run
    }

    func checkEnd() throws {
        if Task.isCancelled || progress.withLock({ $0.end != nil }) { throw CancellationError() }
    }

    /// Waits in a line. While it waits, the call does not count as working; the call that wakes it counts it again.
    func wait(for turn: Promise<Void>, _ isItsTurn: SharedFlag) async throws {
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

    // MARK: The end

    /// Ends the call with what its run has brought.
    private func end(_ run: StoreRun, with result: RunResult) async {
        store.endPrivateRun(run, result) { record, input, time in
            switch input.result {
            case .success(let value): _ = record.noteCall(id) { $0.end(.succeeded(value), at: time.date) }
            case .failure(let error): record.noteFailure(of: id, error) { $0.end(.failed(error), at: time.date) }
            case nil: _ = record.noteCall(id) { $0.end(.cancelled, at: time.date) }
            }
        }
        await finish(with: result ?? .failure(CancellationError()))
    }

    private func finish(with result: Result<AnyValue, any Error>) async {
        let caller = progress.withLock { $0.takeCaller() }
        // The caller may be a run, and what follows is known as part of that.
        await RunScope.$current.withValue(caller?.scope) {
            switch result {
            case .success(let value): await succeed(with: value)
            case .failure(let error): await fail(with: error)
            }
        }
        leaveLines()
        outcome.resolve(result)
        await caller?.handlers?.call(with: result)
        token.end()
    }

    private func succeed(with value: AnyValue) async {
        let layered = progress.withLock { $0.succeed() }
        var unchanged: [StoreCore] = []
        changeLayers(of: layered) { if $0.landLayers(of: id, leaving: $1) { unchanged.append($0) } }
        if mutation.isSourceBacked {
            for store in unchanged { store.invalidate() }
        }
        for pattern in mutation.invalidates(with: arguments, value: value) { host?.invalidate(pattern, refetch: .active) }
        changeLayers(of: layered) { $0.finishLayers(of: id, leaving: $1) }
        await forget()
    }

    private func fail(with error: any Error) async {
        removeLayers(from: progress.withLock { $0.fail() })
        if let ending = progress.withLock({ $0.ending }) {
            // In a new task: the task of the call is cancelled, so waiting in it would throw at once.
            await Task { try? await ending.get() }.value
        }
        let date = context.clock.date
        // Its run has noted how it ended, if it got that far.
        store.noteCalls { [id] log in
            guard log.isPending(id) else { return nil }
            return log.changing(id) { $0.end(error is CancellationError ? .cancelled : .failed(error), at: date) }?.log
        }
        // A call that was left stays in the journal with its idempotency key: it may or may not have taken effect. One that ended with its
        // session is made again when the session is back.
        if error is CancellationError, isLeft {
            await writeDownLate()
            await returnLease()
            // It may have been withdrawn in between.
            if !isLeft { await forget() }
        } else if host != nil {
            await forget()
        }
    }

    private func leaveLines() {
        if shared != nil { lines?.leases.drop(id) }
        // Queries that wait for this call wait for the next of its scope too.
        let pass = pass.exchange(nil)
        if let scope = mutation.scope, let lines { lines.leave(.scope(scope), id, handing: pass) } else { pass?.cancel() }
        if journal != nil { lines?.leave(.journal, id) }
        // Last: from now on the call may be made again, and then stands in line under the same id.
        lines?.remove(id)
    }
}

/// Ends from outside.
extension Call {
    var isLeft: Bool { progress.withLock { $0.end == .left } }

    func request(_ end: MutationLines.End) { progress.withLock { $0.request(end) } }

    func takeLayered() -> [StoreCore] { progress.withLock { $0.takeLayered() } }

    func carryOutEnd() { if let cancellation = progress.withLock({ $0.carryOutEnd() }) { carryOut(cancellation) } }

    /// Withdraws the call because its caller was cancelled. Safe in a cancellation handler: calls no foreign code.
    func giveUp() { if let cancellation = progress.withLock({ $0.giveUp() }) { carryOut(cancellation) } }

    private func carryOut(_ cancellation: CallProgress.Cancellation) {
        cancellation.ending?.resolve(.success(()))
        cancellation.run?.leave()
        if cancellation.task == nil, cancellation.run == nil { return }
        let token = store.host.work.begin()
        // By another task, because the cancellation handlers of a mutation are foreign code (R7). It ends with the call and needs no owner.
        Task.detached { [self] in
            cancellation.task?.cancel()
            if let run = cancellation.run { await end(run, with: nil) }
            token.end()
        }
    }
}

/// What the run of the call needs to know.
extension Call: RunOwner {
    func note(yield value: AnyValue, in record: inout QueryRecord) { _ = record.noteCall(id) { $0.progress = value } }

    func note(failure error: any Error, in record: inout QueryRecord) { record.noteFailure(of: id, error) { _ in } }

    func hold(_ pass: QuerySubscription) {
        // A pass held before is released outside the lock.
        _ = self.pass.exchange(pass)
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
