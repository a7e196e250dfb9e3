import Foundation

/// One call of a mutation, from its layers to its end, without generic types. ``MutationCall`` is its typed form.
///
/// It begins on the caller's thread, so its layers show when `mutate` is called. One task does the rest, see ``carryOut(_:after:_:)``; the
/// client's ``MutationQueues`` can cancel it. A call counts as work from beginning to end, except while it waits for others.
final class Call: EndableCall, Opaque {
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
    /// The changes that it makes in data sources, if it has layers or is part of a call that has layers.
    nonisolated(unsafe) private(set) var effects: CallEffects?
    /// The cause of its run and of its events. Set before the call has a run or a task; see ``reportStart()``.
    nonisolated(unsafe) var cause = QueryCause.manual
    /// When it began, if events had a listener then. Set together with the cause.
    nonisolated(unsafe) var beganAt: QueryInstant?
    /// Counts the call as work.
    let token: WorkToken

    /// Retained here, so that the queues are available after the client or the session has ended.
    let queues: MutationQueues?
    /// Its journal and its progress in it, if the call is durable and there is a journal.
    let journalProgress: JournalProgress?

    let progress: Lock<CallProgress>

    /// The origin of a call.
    enum Origin {
        case new(UUID)
        /// The call was made before in this process, so the journal may still contain it.
        case repeated(UUID)
        /// The journal contains the call.
        // Indirect, because an entry is large and few calls have one.
        indirect case resumed(MutationJournalEntry)
    }

    /// `nil` once the session of the call has ended.
    private var host: (any MutationHost)? { context.mutationHost }

    var path: QueryPath { settings.request.path }
    var ticket: StoreTicket { store.ticket }

    /// The journal entry that the call was resumed from, if there is one.
    var entry: MutationJournalEntry? { if case .resumed(let entry) = origin { entry } else { nil } }

    // MARK: Starting

    /// Makes a call with arguments of the mutation's type.
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

    /// Makes a call: notes it, applies its layers, enters it into its queues, and starts the task that does the rest. If a call with the
    /// same id is pending, returns that call instead.
    ///
    /// Throws, without any effect, if the request is invalid or if the session has ended.
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
            // The session of the entry may have ended while the entry was being decoded.
            if entry.session != context.session { throw store.sessionEnded }
        }
        let mutation = mutation.completed(in: context)
        context.call = MutationCallArguments(id: id, arguments: arguments, type: mutation.argumentsType)
        try settings.request.validate(in: context)
        if mutation.isDurable, context.mutationHost?.journal != nil {
            try QueryError.refuse(mutation: mutation.name, of: type(of: settings.request.unwrapped), in: context.owner?.shared)
        }
        let call = Call(store, settings, mutation, arguments, id, context, origin, handlers)
        // Add the call before anything shows: handlers that see the call may cancel it, and so may the end of its session.
        while let known = call.queues?.add(call) as? Call {
            switch known.progress.withLock({ $0.noteRepetition(call) }) {
            case .pending:
                // The known call was repeated for the second time, or was both repeated and resumed.
                call.token.end()
                return known
            case .successor(let successor):
                if successor !== call { call.token.end() }
                return successor
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
        queues = host?.mutationQueues
        journalProgress = mutation.isDurable ? host?.journal.map { JournalProgress(in: $0) } : nil
        let scope = RunScope.current
        // The changes of a nested mutation are also changes of the outer one.
        effects = scope?.effects
        progress = Lock(CallProgress(madeBy: CallProgress.Caller(scope: scope, handlers: handlers)))
        token = store.host.work.begin()
    }

    private func begin() throws {
        reportStart()
        let mustBeWritten = journalProgress != nil && entry == nil
        if entry != nil { holdLease() }
        // A call that need not wait is running when it first shows.
        let run = mustBeWritten || mutation.scope != nil ? nil : beginRun(andNote: true)
        guard run != nil || noteWaiting(if: mustBeWritten || mutation.scope != nil) else {
            if shared != nil { queues?.leases.drop(id) }
            queues?.remove(id)
            // A simultaneous repetition of the same call may have received this call and wait for its outcome.
            outcome.resolve(.failure(store.sessionEnded))
            reportEnd(with: .failure(store.sessionEnded))
            token.end()
            throw store.sessionEnded
        }
        let layered = applyLayers()
        let journalTurn = mustBeWritten ? journalProgress.flatMap { enter(.journal, raising: $0.mayWrite) } : nil
        let scopeTurn = mutation.scope.flatMap { enter(.scope($0), raising: SharedFlag()) }
        if !layered.isEmpty, !progress.withLock({ $0.attach(layered: layered) }) { removeLayers(from: layered) }
        // Detached, so that it inherits nothing from the caller.
        let task = Task.detached(priority: Task.currentPriority) { [self] in await carryOut(run, after: journalTurn, scopeTurn) }
        if !progress.withLock({ $0.attach(task) }) { task.cancel() }
    }

    /// Notes a call that must wait. Returns `false` if its session has ended.
    private func noteWaiting(if mustWait: Bool) -> Bool {
        guard mustWait else { return false }
        return store.noteCalls(in: context) { [note, limit] in $0.adding(note, keeping: limit) }
    }

    var limit: Int { settings.context.settings.historyLength }

    var note: CallNote { CallNote(id: id, arguments: arguments, submittedAt: entry?.date ?? madeAt) }

    /// Begins the run of the call. Returns `nil` if its session has ended.
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

    /// Takes a place in a queue. Returns `nil` if it is the first.
    private func enter(_ queue: MutationQueues.Queue, raising flag: SharedFlag) -> CallTurn? {
        let resume = { @Sendable [token] in
            flag.raise()
            token.resume()
        }
        let turn = queues?.enter(queue, id, isResumed: entry != nil, resume: resume) { [self] in hold($0) }
        return turn.map { CallTurn(promise: $0, hasCome: flag) }
    }

    // MARK: Layers

    private func applyLayers() -> [StoreCore] {
        let layers = declaredLayers
        guard !layers.isEmpty, let host else { return [] }
        let effects = CallEffects(within: effects)
        self.effects = effects
        let owner = LayerOwner(id: id, context: context, effects: effects)
        return LayerFollowUps.carryOut(for: store.host) { followUps in
            layers.map { $0.apply(in: host, for: owner, leaving: followUps) }
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

    /// Changes the layers of one call as one change.
    private func changeLayers(of stores: [StoreCore], _ change: (StoreCore, LayerFollowUps) -> Void) {
        guard !stores.isEmpty else { return }
        LayerFollowUps.carryOut(for: store.host) { followUps in
            for store in stores { change(store, followUps) }
        }
    }

    private func removeLayers(from stores: [StoreCore]) { changeLayers(of: stores) { $0.removeLayers(of: [id], leaving: $1) } }

    // MARK: The task

    /// The work of the call's task.
    ///
    /// - Parameter run: The run, if it has already begun.
    private func carryOut(_ run: StoreRun?, after journalTurn: CallTurn?, _ scopeTurn: CallTurn?) async {
        do {
            let run = if let run { run } else { try await beginRun(after: journalTurn, scopeTurn) }
            let isWanted = progress.withLock { $0.end == nil }
            let result = isWanted ? await RunScope.$current.withValue(.run(run)) { await AttemptLoop(run: run).result() } : nil
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

    /// Waits in a queue. A waiting call does not count as work. When another call resumes it, that call counts it as work again.
    func wait(for turn: CallTurn) async throws {
        if !turn.hasCome.isRaised { token.suspend() }
        // Its turn may have come in between.
        if turn.hasCome.isRaised { token.resume() }
        defer { token.resume() }
        try await turn.promise.get { [token] in token.resume() }
    }

    // MARK: Ending

    /// Called before the state shows the failure, so that a handler of that state can repeat the call.
    private func announce(_ result: Result<AnyValue, any Error>) {
        guard case .failure(let error) = result else { return }
        progress.withLock { $0.allowSuccessor() }
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
            // The state counts the failures of the latest call only.
            if !isLatest { record.setFailures(former.failures, former.failureReason) }
        }
    }

    /// Ends the call with the result of its run, or with the error that prevented a run.
    private func finish(with result: Result<AnyValue, any Error>) async {
        reportEnd(with: result)
        let caller: CallProgress.Caller?
        switch result {
        case .success(let value):
            let layered: [StoreCore]
            (caller, layered) = progress.withLock { ($0.takeCaller(), $0.succeed()) }
            // The caller may be a run, and the following changes belong to it.
            if let scope = caller?.scope {
                RunScope.$current.withValue(scope) { succeed(with: value, landing: layered) }
            } else {
                succeed(with: value, landing: layered)
            }
            if journalProgress != nil { await forget() }
        case .failure(let error):
            caller = progress.withLock { $0.takeCaller() }
            await RunScope.$current.withValue(caller?.scope) { await fail(with: error) }
        }
        let successor = leaveQueues()
        outcome.resolve(result)
        // If the successor can't begin, it resumes its waiters with the error itself.
        try? successor?.begin()
        await caller?.handlers?.call(with: result)
        token.end()
    }

    private func succeed(with value: AnyValue, landing layered: [StoreCore]) {
        var unchanged: [StoreCore] = []
        changeLayers(of: layered) { if $0.landLayers(of: id, leaving: $1) { unchanged.append($0) } }
        invalidate(mutation.isSourceBacked ? unchanged : [], mutation.invalidates(with: arguments, value: value))
        changeLayers(of: layered) { $0.finishLayers(of: id, leaving: $1) }
    }

    /// Invalidates what the call has changed, as one change.
    private func invalidate(_ stores: [StoreCore], _ patterns: [QueryPattern]) {
        let host = host
        let invalidateEach = {
            for store in stores { store.invalidate(self.cause(ofInvalidating: .path(store.path)), refetch: .active) }
            for pattern in patterns { host?.invalidate(pattern, self.cause(ofInvalidating: pattern), refetch: .active) }
        }
        if let host, stores.count + patterns.count > 1 { host.batch(invalidateEach) } else { invalidateEach() }
    }

    private func fail(with error: any Error) async {
        removeLayers(from: progress.withLock { $0.fail() })
        if let ending = progress.withLock({ $0.ending }) {
            // In a new task: the task of the call is cancelled, so waiting in it would throw immediately.
            await Task { try? await ending.get() }.value
        }
        let date = context.clock.date
        // If there was a run, it has already noted the end.
        store.noteCalls { [id] log in
            guard log.isPending(id) else { return nil }
            return log.changing(id) { $0.end(error is CancellationError ? .cancelled : .failed(error), at: date) }?.log
        }
        // A call that was kept stays in the journal with its idempotency key, because it may or may not have taken effect. A call that
        // ended with its session is repeated when the session is back.
        if error is CancellationError, isKept {
            await writeDownLate()
            await returnLease()
        } else if host != nil || isWithdrawn {
            await forget()
        }
    }

    /// Removes the call from all queues. Returns a waiting call with the same id, which can begin now; `nil` if there is none.
    private func leaveQueues() -> Call? {
        guard let queues else { return nil }
        if shared != nil { queues.leases.drop(id) }
        // Queries that wait for this call also wait for the next one of its scope.
        if let scope = mutation.scope { queues.leave(.scope(scope), id, handing: progress.withLock { $0.takePass() }) }
        if journalProgress != nil { queues.leave(.journal, id) }
        // Remove the call last: from now on a call with the same id may be in the queues.
        var closing: (successor: Call?, pass: QuerySubscription?, end: MutationQueues.End?)
        let isForgotten = journalProgress?.isForgotten.isRaised ?? true
        queues.remove(id) {
            closing = progress.withLock { $0.close() }
            return (!isForgotten && closing.end == .kept, closing.successor)
        }
        // The call may have been withdrawn after it was kept: then remove its entry, unless a call was made with the same id since then.
        // That call needs the entry.
        if !isForgotten, closing.end == .withdrawn, closing.successor == nil, let journalProgress {
            queues.withdraw(id, from: journalProgress.journal, countedBy: store.host.work) { [store] in
                store.report(.storageFailed, .manual, $0)
            }
        }
        closing.pass?.cancel()
        return closing.successor
    }
}

/// Ends that are requested from outside.
extension Call {
    /// The stores that show layers of the call.
    var layered: [StoreCore] { progress.withLock { $0.layered } }

    var isKept: Bool { progress.withLock { $0.end == .kept } }
    private var isWithdrawn: Bool { progress.withLock { $0.end == .withdrawn } }

    private var successor: Call? { progress.withLock { $0.successor } }

    func request(_ end: MutationQueues.End) {
        progress.withLock { $0.request(end) }
        successor?.request(end)
    }

    func takeLayered() -> [StoreCore] { progress.withLock { $0.takeLayered() } + (successor?.takeLayered() ?? []) }

    func carryOutEnd() {
        if let cancellation = progress.withLock({ $0.carryOutEnd() }) { carryOut(cancellation) }
        successor?.carryOutEnd()
    }

    /// Withdraws the call because its caller was cancelled. Safe in a cancellation handler, because it calls no foreign code.
    func giveUp() {
        // After a logout the call belongs to another user, who has not cancelled it.
        let end: MutationQueues.End = context.owner?.isEnded == true ? .kept : .withdrawn
        if let cancellation = progress.withLock({ $0.giveUp(end) }) { carryOut(cancellation) }
    }

    private func carryOut(_ cancellation: CallProgress.Cancellation) {
        cancellation.ending?.resolve(.success(()))
        cancellation.run?.leave()
        if cancellation.task == nil, cancellation.run == nil { return }
        let token = store.host.work.begin()
        // In another task, because the cancellation handlers of a mutation are foreign code (R7). The task ends with the call and needs no
        // owner.
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
