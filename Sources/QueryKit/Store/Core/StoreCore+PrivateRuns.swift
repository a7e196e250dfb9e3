/// Runs apart from the one that all callers of a store share.
extension StoreCore {
    /// A run for this caller alone: see `deduplicated(_:)`. Mutations run so, too.
    func runPrivately(
        _ given: RequestSettings,
        _ override: QueryContext?,
        for reader: RunReader? = nil,
        notes: MutationRunHooks? = nil
    ) async throws -> FetchedValue {
        let token = notes?.token ?? host.work.begin()
        let date = notes.map { _ in given.context.clock.date }
        let privateRun = change(with: given) { contents, input, _, settings -> PrivateStart in
            // The call of a mutation is made for the user who made it.
            let context = override ?? (notes == nil ? settings : given).context
            if context.belongsToEndedSession(besides: contents.base.context) { return .refused }
            contents.mention(settings, isCall: true)
            let outcome = contents.process(input) { machine, record in
                let effects = machine.beginPrivate(&record)
                if let notes, let date { notes.begin(&record, machine.lastNumber, date) }
                return effects
            }
            guard let number = outcome.joined else { preconditionFailure("A private run has no number") }
            return .begun(number, settings, asOf: contents.latest, contents.state)
        }
        guard case .begun(let number, let settings, let asOf, let state) = privateRun else { throw sessionEnded }
        let start = RunStart(number: number, cause: .manual, origin: .caller, isPrivate: true, isMutation: notes != nil)
        let trace = noteStart(start.cause, on: settings.context.clock)
        let run = StoreRun(
            of: self,
            start: start,
            settings: settings,
            context: override,
            asOf: asOf,
            rollback: state,
            token: token,
            hooks: notes
        )
        // A run that fetches privately counts by its private run.
        let rest = notes == nil ? RunScope.current?.rest() : nil
        rest?.begin()
        let promise = Promise<RunResult>()
        // Owned by this call, which cancels it when it is cancelled itself, and does not wait for one that does not listen.
        let task = Task.detached(priority: Task.currentPriority) {
            let result = await RunScope.$current.withValue(RunScope(of: run)) { await AttemptLoop(run: run).result() }
            run.close()
            promise.resolve(.success(result))
        }
        var ending: RunResult = nil
        do {
            ending = try await withTaskCancellationHandler {
                try await promise.get()
            } onCancel: {
                run.leave()
                // By another task, because the cancellation handlers of a fetch are foreign code (R7).
                let token = host.work.begin()
                Task.detached {
                    task.cancel()
                    token.end()
                }
            }
        } catch {
            // Nothing came of it.
        }
        let result = StoreInput(ending, run.takeOrigin(), typing)
        var input = result
        let time = result.time(by: settings.context.clock)
        input.run = number
        input.asOf = asOf
        if run.existingNotes != nil { input.reader = run }
        let outcome = change(input) { contents, input in
            let isDoubtful = input.layered?.isUnsure == true
            return contents.process(input) { machine, record in
                defer { notes?.end(&record, result, time.date) }
                return machine.endPrivate(number, result.outcome, isDoubtful: isDoubtful, at: time, &record)
            }
        }
        noteEnd(trace, result.outcome, start.cause, at: settings.context.clock.now, isIgnored: outcome.isIgnored)
        rest?.end()
        if notes == nil { token.end() }
        guard let value = try result.result?.get() else { throw CancellationError() }
        let reads = contents.withLock { $0.handOver(to: reader, since: asOf) }
        return FetchedValue(value: value, reads: reads, moments: run.existingNotes?.withLock { $0.moments })
    }
}

/// How a private run begins.
private enum PrivateStart: Sendable {
    /// The context belongs to a session that has ended.
    case refused
    case begun(Int32, RequestSettings, asOf: ChangeNumber, StateBox)
}
