import Foundation

/// One call of a mutation, from its layers to its end, without its types. ``MutationCall`` is the typed face of it.
///
/// It begins on the caller's thread, so its layers show when `mutate` is called. One task does the rest, see ``carryOut(_:after:_:)``; the
/// client's ``MutationLines`` can cancel it. A call counts as work from begin to end, except while it waits for others.
final class Call: EndableCall {
    let id: UUID
    let arguments: AnyValue
    let context: QueryContext
    let madeAt: Date
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
    /// Its place in the journal, if it is durable and there is one.
    let place: JournalPlace?

    let progress: Lock<CallProgress>

    /// Where a call comes from.
    enum Origin {
        case new(UUID)
        /// It was made before in this process, so the journal may still hold it.
        case repeated(UUID)
        /// The journal holds it.
        // Indirect, because an entry is large and few calls have one.
        indirect case resumed(MutationJournalEntry)
    }

    /// `nil` once the session of the call is over.
    private var host: (any MutationHost)? { context.mutationHost }

    var path: QueryPath { settings.request.path }
    var ticket: StoreTicket { store.ticket }

    /// What the journal holds of the call, if it comes from there.
    var entry: MutationJournalEntry? { if case .resumed(let entry) = origin { entry } else { nil } }

    // MARK: Beginning

    /// Makes a call with arguments of the type that its mutation takes.
    static func make(
        _ store: StoreCore,
        _ settings: RequestSettings,
        boxing arguments: some Sendable,
        using override: QueryContext?,
        handlers: CallHandlers? = nil
    ) throws -> Call {
        let mutation = settings.request.mutation
        return try make(mutation, store, settings, with: mutation.boxes.box(arguments), using: override, handlers: handlers)
    }

    /// Makes a call: notes it, lays its layers, takes its places in line, and starts the task that does the rest. Returns the call with the same id
    /// instead, if that is on its way.
    ///
    /// Throws, and nothing has happened, if the request makes no sense or if the session has ended.
    @discardableResult
    static func make(
        _ mutation: any AnyMutation,
        _ store: StoreCore,
        _ settings: RequestSettings,
        with arguments: AnyValue,
        using override: QueryContext? = nil,
        _ origin: Origin = .new(UUID()),
        handlers: CallHandlers? = nil
    ) throws -> Call {
        var context = try override.map { try store.inSession($0) } ?? settings.context
        let id: UUID
        switch origin {
        case .new(let given), .repeated(let given):
            id = given
        case .resumed(let entry):
            id = entry.id
            // The session of the entry may have ended while the entry was decoded.
            if entry.session != context.session { throw store.sessionEnded }
        }
        context.call = MutationCallArguments(id: id, arguments: arguments, type: mutation.argumentsType)
        try settings.request.validate(in: context)
        let call = Call(store, settings, mutation, arguments, id, context, origin, handlers)
        // Before anything shows: handlers that see the call may cancel it, and so may the end of its session.
        while let known = call.lines?.add(call) as? Call {
            switch known.progress.withLock({ $0.inherit(call) }) {
            case .none:
                // It is made again a second time, or resumed as well.
                call.token.end()
                return known
            case .heir(let heir):
                if heir !== call { call.token.end() }
                return heir
            case .over:
                continue
            }
        }
        try call.begin()
        return call
    }

    private init(
        _ store: StoreCore,
        _ settings: RequestSettings,
        _ mutation: any AnyMutation,
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
        madeAt = context.clock.date
        self.mutation = mutation
        let host = context.mutationHost
        lines = host?.lines
        place = mutation.isDurable ? host?.journal.map { JournalPlace(in: $0) } : nil
        let scope = RunScope.current
        // What a mutation inside of another one changes, the outer one changes too.
        effects = scope?.effects
        progress = Lock(CallProgress(madeBy: CallProgress.Caller(scope: scope, handlers: handlers)))
        token = store.host.work.begin()
    }

    private func begin() throws {
        let mustBeWritten = place != nil && entry == nil
        if entry != nil { holdLease() }
        // A call that waits for nothing is at work when it first shows.
        let run = mustBeWritten || mutation.scope != nil ? nil : beginRun(andNote: true)
        guard run != nil || noteInLine(if: mustBeWritten || mutation.scope != nil) else {
            if shared != nil { lines?.leases.drop(id) }
            lines?.remove(id)
            // Who made the same call again at this moment has got this one.
            outcome.resolve(.failure(store.sessionEnded))
            token.end()
            throw store.sessionEnded
        }
        let layered = placeLayers()
        let journalTurn = mustBeWritten ? place.flatMap { enter(.journal, raising: $0.mayWrite) } : nil
        let scopeTurn = mutation.scope.flatMap { enter(.scope($0), raising: SharedFlag()) }
        if !layered.isEmpty, !progress.withLock({ $0.attach(layered: layered) }) { removeLayers(from: layered) }
        // Detached: it inherits nothing from the caller.
        let task = Task.detached(priority: Task.currentPriority) { [self] in await carryOut(run, after: journalTurn, scopeTurn) }
        if !progress.withLock({ $0.attach(task) }) { task.cancel() }
    }

    /// Notes a call that has to wait. Returns `false` if its session has ended.
    private func noteInLine(if mustWait: Bool) -> Bool {
        guard mustWait else { return false }
        return store.noteCalls(in: context) { [note, limit] in $0.adding(note, keeping: limit) }
    }

    var limit: Int { settings.context.settings.historyLength }

    var note: CallNote { CallNote(id: id, arguments: arguments, submittedAt: entry?.date ?? madeAt) }

    /// Begins the run of the call; `nil` if its session has ended.
    private func beginRun(andNote isNew: Bool) -> StoreRun? {
        let alone = isNew ? store.beginAlone(self, settings, context, token) : nil
        guard let run = alone ?? beginAmongOthers(andNote: isNew) else { return nil }
        progress.withLock { $0.begin(run) }
        return run
    }

    private func beginAmongOthers(andNote isNew: Bool) -> StoreRun? {
        let date = context.clock.date
        let begun = store.change(with: settings) { contents, input, _, settings in
            contents.beginPrivateRun(context, settings, input) { machine, record in
                let effects = machine.beginPrivate(&record)
                let number = machine.lastNumber
                if isNew {
                    note(start: number, in: &record)
                } else if record.noteCall(id, { $0.begin(as: number, at: date) }) {
                    record.setFailures(0, nil)
                }
                return effects
            }
        }
        return begun.map { store.makePrivateRun($0, context: context, token: token, owner: self) }
    }

    /// Takes a place in a line; `nil` if it is the first.
    private func enter(_ line: MutationLines.Line, raising flag: SharedFlag) -> CallTurn? {
        let wake = { @Sendable [token] in
            flag.raise()
            token.wake()
        }
        let turn = lines?.enter(line, id, isResumed: entry != nil, wake: wake) { [self] in hold($0) }
        return turn.map { CallTurn(promise: $0, hasCome: flag) }
    }

    // MARK: Layers

    private func placeLayers() -> [StoreCore] {
        let layers = declaredLayers
        guard !layers.isEmpty, let host else { return [] }
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
    private func carryOut(_ run: StoreRun?, after journalTurn: CallTurn?, _ scopeTurn: CallTurn?) async {
        do {
            let run = if let run { run } else { try await beginRun(after: journalTurn, scopeTurn) }
            let isWanted = progress.withLock { $0.end == nil }
            let result = isWanted ? await RunScope.$current.withValue(RunScope(of: run)) { await AttemptLoop(run: run).result() } : nil
            run.close()
            guard progress.withLock({ $0.endRun() }) else { return }
            let end = result ?? .failure(CancellationError())
            announce(end)
            showEnd(of: run, with: result)
            await finish(with: end)
        } catch {
            announce(.failure(error))
            await finish(with: .failure(error))
        }
    }

    private func beginRun(after journalTurn: CallTurn?, _ scopeTurn: CallTurn?) async throws -> StoreRun {
        try checkEnd()
        try await writeDown(in: journalTurn)
        if let scopeTurn { try await wait(for: scopeTurn) }
        try await waitForOthers()
        try checkEnd()
        guard let run = beginRun(andNote: false) else { throw store.sessionEnded }
        return run
    }

    func checkEnd() throws {
        if Task.isCancelled || progress.withLock({ $0.end != nil }) { throw CancellationError() }
    }

    /// Waits in a line. While it waits, the call does not count as working; the call that wakes it counts it again.
    func wait(for turn: CallTurn) async throws {
        if !turn.hasCome.isRaised { token.rest() }
        // It may have been called up in between.
        if turn.hasCome.isRaised { token.wake() }
        defer { token.wake() }
        try await turn.promise.get { [token] in token.wake() }
    }

    // MARK: The end

    /// The state is about to show that the call has failed. A handler that hears of it can make the call again.
    private func announce(_ result: Result<AnyValue, any Error>) {
        guard case .failure(let error) = result else { return }
        progress.withLock { $0.openSuccession() }
        outcome.announce(error)
    }

    private func showEnd(of run: StoreRun, with result: RunResult) {
        if case .success(let value) = result, !run.hasOrigin, store.endAlone(run, value, of: self) { return }
        store.endPrivateRun(run, result) { record, former, input, time in
            let isLatest =
                switch input.result {
                case .success(let value): record.noteCall(id) { $0.end(.succeeded(value), at: time.date) }
                case .failure(let error): record.noteFailure(of: id, error) { $0.end(.failed(error), at: time.date) }
                case nil: record.noteCall(id) { $0.end(.cancelled, at: time.date) }
                }
            // The state counts the failures of the latest call.
            if !isLatest { record.setFailures(former.failures, former.failureReason) }
        }
    }

    /// Ends the call with what its run has brought, or because it had none.
    private func finish(with result: Result<AnyValue, any Error>) async {
        let caller: CallProgress.Caller?
        switch result {
        case .success(let value):
            let layered: [StoreCore]
            (caller, layered) = progress.withLock { ($0.takeCaller(), $0.succeed()) }
            // The caller may be a run, and what follows is known as part of that.
            if let scope = caller?.scope {
                RunScope.$current.withValue(scope) { succeed(with: value, landing: layered) }
            } else {
                succeed(with: value, landing: layered)
            }
            if place != nil { await forget() }
        case .failure(let error):
            caller = progress.withLock { $0.takeCaller() }
            await RunScope.$current.withValue(caller?.scope) { await fail(with: error) }
        }
        let heir = leaveLines()
        outcome.resolve(result)
        // One that can't begin tells all who wait for it itself.
        try? heir?.begin()
        await caller?.handlers?.call(with: result)
        token.end()
    }

    private func succeed(with value: AnyValue, landing layered: [StoreCore]) {
        var unchanged: [StoreCore] = []
        changeLayers(of: layered) { if $0.landLayers(of: id, leaving: $1) { unchanged.append($0) } }
        if mutation.isSourceBacked {
            for store in unchanged { store.invalidate() }
        }
        for pattern in mutation.invalidates(with: arguments, value: value) { host?.invalidate(pattern, refetch: .active) }
        changeLayers(of: layered) { $0.finishLayers(of: id, leaving: $1) }
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
        } else if host != nil || isWithdrawn {
            await forget()
        }
    }

    /// Returns the call with the same id that begins now.
    private func leaveLines() -> Call? {
        guard let lines else { return nil }
        if shared != nil { lines.leases.drop(id) }
        // Queries that wait for this call wait for the next of its scope too.
        if let scope = mutation.scope { lines.leave(.scope(scope), id, handing: progress.withLock { $0.takePass() }) }
        if place != nil { lines.leave(.journal, id) }
        // Last: from now on a call may stand in line under the same id.
        var rest: (heir: Call?, pass: QuerySubscription?, end: MutationLines.End?)
        let isForgotten = place?.isForgotten.isRaised ?? true
        lines.remove(id) {
            rest = progress.withLock { $0.close() }
            return (!isForgotten && rest.end == .left, rest.heir)
        }
        // It may have been withdrawn after it was left.
        if !isForgotten, rest.end == .withdrawn, let place {
            lines.withdraw(id, from: place.journal, countedBy: store.host.work) { [store] in store.report(.storageFailed, .manual, $0) }
        }
        rest.pass?.cancel()
        return rest.heir
    }
}

/// Ends from outside.
extension Call {
    var isLeft: Bool { progress.withLock { $0.end == .left } }
    private var isWithdrawn: Bool { progress.withLock { $0.end == .withdrawn } }

    private var heir: Call? { progress.withLock { $0.heir } }

    func request(_ end: MutationLines.End) {
        progress.withLock { $0.request(end) }
        heir?.request(end)
    }

    func takeLayered() -> [StoreCore] { progress.withLock { $0.takeLayered() } + (heir?.takeLayered() ?? []) }

    func carryOutEnd() {
        if let cancellation = progress.withLock({ $0.carryOutEnd() }) { carryOut(cancellation) }
        heir?.carryOutEnd()
    }

    /// Withdraws the call because its caller was cancelled. Safe in a cancellation handler: calls no foreign code.
    func giveUp() {
        // After a log-out the call belongs to another user, who has not cancelled it.
        let end: MutationLines.End = context.owner?.isEnded == true ? .left : .withdrawn
        if let cancellation = progress.withLock({ $0.giveUp(end) }) { carryOut(cancellation) }
    }

    private func carryOut(_ cancellation: CallProgress.Cancellation) {
        cancellation.ending?.resolve(.success(()))
        cancellation.run?.leave()
        if cancellation.task == nil, cancellation.run == nil { return }
        let token = store.host.work.begin()
        // By another task, because the cancellation handlers of a mutation are foreign code (R7). It ends with the call and needs no owner.
        Task.detached { [self] in
            cancellation.task?.cancel()
            if let run = cancellation.run {
                announce(.failure(CancellationError()))
                showEnd(of: run, with: nil)
                await finish(with: .failure(CancellationError()))
            }
            token.end()
        }
    }
}
