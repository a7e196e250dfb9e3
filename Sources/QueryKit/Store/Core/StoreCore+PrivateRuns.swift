/// Private runs, which are separate from the run that the callers of a store share.
extension StoreCore {
    /// Runs the request for this caller only; see `deduplicated(_:)`.
    func runPrivately(_ given: RequestSettings, _ override: QueryContext?, for reader: RunReader? = nil) async throws -> AnyValue {
        let token = host.work.begin()
        let begun = change(with: given) { contents, input, _, settings in
            contents.beginPrivateRun(override ?? settings.context, settings, input) { $0.beginPrivate(&$1) }
        }
        guard let begun else { throw sessionEnded }
        let run = makePrivateRun(begun, context: override, token: token)
        // While a run waits for a private run, only the private run counts as working.
        let wait = RunScope.current?.makeWait()
        wait?.begin()
        let promise = Promise<RunResult>()
        // Owned by this call, which cancels the task when it is cancelled itself, and doesn't wait for a task that ignores cancellation.
        let task = Task.detached(priority: Task.currentPriority) {
            let result = await RunScope.$current.withValue(.run(run)) { await AttemptLoop(run: run).result() }
            if run.settings.isFreshUntilChanged { run.reportIfNothingToFollow(result) }
            run.close()
            promise.resolve(.success(result))
        }
        var ending: RunResult = nil
        do {
            ending = try await withTaskCancellationHandler {
                try await promise.get()
            } onCancel: {
                // Now, because the reader may be over when the promise has failed.
                _ = contents.withLock { $0.handOver(to: reader, since: begun.asOf) }
                run.leave()
                // Cancelled by another task, because the cancellation handlers of a fetch are foreign code (R7).
                let token = host.work.begin()
                Task.detached {
                    task.cancel()
                    token.end()
                }
            }
        } catch {
            // The caller was cancelled, so there is no result.
        }
        endPrivateRun(run, ending) { _, _, _, _ in }
        wait?.end()
        token.end()
        guard let ending else { throw CancellationError() }
        let isUnfollowed = run.readsUnfollowed.isRaised
        let reads = contents.withLock { $0.handOver(to: reader, since: begun.asOf, isUnfollowed: isUnfollowed) }
        RunScope.current?.takeOver(reads, run.existingNotes?.withLock { $0.moments }, from: self)
        return try ending.get()
    }

    /// Creates the run that has begun, and counts it. The caller gives it a task.
    func makePrivateRun(
        _ begun: PrivateRunBegin,
        context: QueryContext?,
        token: WorkToken,
        owner: (any RunOwner)? = nil
    ) -> StoreRun {
        let start: RunStart = owner.map { .ofCall(begun.number, $0.cause) } ?? .ofPrivateCaller(begun.number)
        let run = StoreRun(
            of: self,
            start: start,
            settings: begun.settings,
            context: context,
            asOf: begun.asOf,
            rollback: begun.state,
            token: token,
            owner: owner
        )
        run.trace = noteStart(start.cause, on: begun.settings.context.clock)
        return run
    }

    /// Shows the result of a private run, unless there is a newer one.
    ///
    /// - Parameter note: Called with the store's lock held, after the record has changed. `former` is the record from before.
    func endPrivateRun(
        _ run: StoreRun,
        _ result: RunResult,
        _ note: (inout QueryRecord, _ former: QueryRecord, StoreInput, QueryTimestamp) -> Void
    ) {
        let clock = run.settings.context.clock
        let result = StoreInput(result, run.takeOrigin(), typing)
        var input = result
        let time = result.time(by: clock)
        input.run = run.number
        input.asOf = run.asOf
        input.variant = variant(of: run)
        if run.existingNotes != nil { input.reader = run }
        let outcome = change(input) { contents, input in
            let isUnsure = input.layered?.isUnsure == true
            return contents.process(input) { machine, record in
                let former = record
                let effects = machine.endPrivate(run.number, result.outcome, isUnsure: isUnsure, at: time, &record)
                note(&record, former, result, time)
                return effects
            }
        }
        guard let trace = run.trace else { return }
        noteEnd(trace, result.outcome, run.start.cause, at: clock.now, isIgnored: outcome.isIgnored)
    }
}

/// The data of a private run that has begun.
struct PrivateRunBegin: Sendable {
    let number: Int32
    let settings: RequestSettings
    let asOf: ChangeNumber
    let state: StateBox
}

extension StoreContents {
    /// Begins a private run. Returns `nil` if the context belongs to an ended session.
    mutating func beginPrivateRun(
        _ context: QueryContext,
        _ settings: RequestSettings,
        _ input: StoreInput,
        _ event: (inout RunMachine, inout QueryRecord) -> RunMachine.Effects
    ) -> PrivateRunBegin? {
        if context.belongsToEndedSession(besides: base.context) { return nil }
        register(settings, isCall: true)
        let outcome = process(input, event)
        guard let number = outcome.joined else { preconditionFailure("A private run has no number") }
        return PrivateRunBegin(number: number, settings: settings, asOf: latest, state: state)
    }
}
