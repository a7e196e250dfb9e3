/// The attempts of one run, one after the other: validation, time limit, retries, and the question for permission.
struct Attempts: Sendable {
    let run: StartedRun
    let store: StoreCore

    private var context: QueryContext { run.context }

    /// Runs that the library starts by itself are retried three times unless the request says otherwise.
    private var limit: Int { context.retry.limit ?? (run.start.origin == .library ? 3 : 0) }

    func result() async -> AttemptResult {
        do {
            try run.request.validate(in: context)
            if let restored = await restored() { return AttemptResult(input: restored, outcome: .success) }
            return AttemptResult(input: try await value(), outcome: .success)
        } catch {
            // A fetch that was cancelled may throw an error of its own to say so.
            if error is CancellationError || Task.isCancelled { return AttemptResult(input: StoreInput(), outcome: .cancelled) }
            return AttemptResult(input: StoreInput(error: error), outcome: .failure(error))
        }
    }

    /// What a cache has, asked before the first attempt, whether or not there is a network. The result, if it is fresh.
    private func restored() async -> StoreInput? {
        guard let keeper = run.settings.context.settings.persistence == nil ? store.keepers.first : run.settings,
            let restore = keeper.context.settings.persistence?.restore, !run.start.isPrivate, run.start.aim == .everything,
            run.start.cause != .reset, !store.hasResult
        else { return nil }
        guard let stored = await restore(keeper.request, keeper.context) else { return nil }
        return store.restore(stored, for: run)
    }

    private func value() async throws -> StoreInput {
        var retries = 0
        var isFirst = true
        var hasAskedForPermission = false
        var hasAskedForRepair = false
        while true {
            let notes = AttemptNotes()
            do {
                try Task.checkCancellation()
                try await waitForNetwork(isFirst: isFirst)
                var place: QuerySubscription?
                if let gate = store.host.runGate { place = try await waitForPlace(at: gate, isFirst: isFirst) }
                defer { place?.cancel() }
                try Task.checkCancellation()
                isFirst = false
                return try await attempt(run.request, notes, place)
            } catch let thrown {
                let interruption = thrown as? StreamInterruption
                let error = interruption?.error ?? thrown
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                // A stream that broke off is taken up again for as long as somebody wants it.
                let limit = interruption == nil ? limit : context.retry.limit ?? .max
                if notes.isLive.isRaised { retries = 0 }
                switch context.recovery.step(after: error) {
                case .fail:
                    throw error
                case .retry where store.host.isOffline && context.networkMode == .offlineFirst:
                    // Without a network any failure may be due to that. It costs no retry.
                    guard context.retry.condition(error) else { throw error }
                    store.noteFailure(run.start, error)
                case .retry:
                    guard retries < limit, context.retry.condition(error) else { throw error }
                    retries += 1
                    try await rest(after: error, failures: retries)
                case .waitForNetwork:
                    // Where the network is there after all, or plays no part, another attempt is like any other.
                    if !store.host.isOffline || context.networkMode == .always {
                        guard retries < limit, context.retry.condition(error) else { throw error }
                        retries += 1
                        try await rest(after: error, failures: retries)
                    } else {
                        store.noteFailure(run.start, error)
                    }
                case .repair:
                    guard !hasAskedForRepair, let repair = context.repair else { throw error }
                    hasAskedForRepair = true
                    guard await repair(error, context) else { throw error }
                    store.noteFailure(run.start, error)
                case .authorize:
                    guard !hasAskedForPermission, let authorization = context.authorization else { throw error }
                    hasAskedForPermission = true
                    guard await authorization(error, context) else { throw error }
                    store.noteFailure(run.start, error)
                }
            }
        }
    }

    /// Waits for the network where the attempt needs it.
    private func waitForNetwork(isFirst: Bool) async throws {
        // A run that said at its start that it waits does so, even if the network came back meanwhile: mutations may be before it.
        var mustWait = run.start.isPaused && isFirst
        // A context for this call alone may do without the network.
        if mustWait, context.networkMode != .online {
            mustWait = false
            store.show(run.start, isPaused: false)
        }
        while mustWait || store.host.isOffline && context.networkMode.needsNetwork(isFirst: isFirst) {
            mustWait = false
            let pass = try await store.pause(run)
            run.hold?(pass)
        }
    }

    /// Waits for a place among the runs that may work at once. A run that has to wait for the network once more does so without one.
    private func waitForPlace(at gate: any RunGate, isFirst: Bool) async throws -> QuerySubscription? {
        while let place = try await gate.enter(run, of: store) {
            guard store.host.isOffline, context.networkMode.needsNetwork(isFirst: isFirst) else { return place }
            place.cancel()
            try await waitForNetwork(isFirst: isFirst)
        }
        return nil
    }

    /// Waits before the next attempt.
    private func rest(after error: any Error, failures: Int) async throws {
        store.noteFailure(run.start, error)
        let delay = context.retry.backoff.delay(afterFailures: failures)
        if delay > .zero { try await store.rest(run, until: context.clock.now.advanced(by: delay), on: context.clock) }
    }

    private func attempt<Request: QueryRequest>(
        _ request: Request,
        _ notes: AttemptNotes,
        _ place: QuerySubscription?
    ) async throws -> StoreInput {
        // An attempt that was left behind may not speak for the one after it.
        defer { _ = notes.isOver.raise() }
        let continuation = QueryContinuation<Request.Value> { [store, start = run.start] value, kind in
            var input = StoreInput(value: value)
            let start = notes.isOver.isRaised ? start.overtaken : start
            switch kind {
            case .partial: break
            case .stored(let date): input.date = date
            case .live:
                _ = notes.isLive.raise()
                // A stream has done its work, and waits for others from now on.
                place?.cancel()
                return store.stream(input, from: start)
            }
            store.yield(input, from: start)
        }
        guard let timeout = context.timeout else { return try await result(of: request, continuation) }
        // Not left to the clock, which might let the attempt win.
        if timeout <= .zero { throw timeoutError(timeout) }
        let promise = Promise<StoreInput>()
        // Owned by this attempt: cancelled when the time is up or the run is cancelled, and left behind if it does not listen.
        let work = Task.detached(priority: Task.currentPriority) { [scope = RunScope.current] in
            do {
                promise.resolve(.success(try await RunScope.$current.withValue(scope) { try await result(of: request, continuation) }))
            } catch {
                promise.resolve(.failure(error))
            }
        }
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) {
            // A stream that is open has kept its time.
            if !notes.isLive.isRaised { promise.resolve(.failure(timeoutError(timeout))) }
        }
        defer {
            alarm.cancel()
            work.cancel()
        }
        return try await promise.get()
    }

    private func result<Request: QueryRequest>(
        of request: Request,
        _ continuation: QueryContinuation<Request.Value>
    ) async throws -> StoreInput {
        var input = StoreInput(value: try await request.fetch(in: context, with: continuation))
        input.date = RunScope.current?.takeDate()
        return input
    }

    private func timeoutError(_ timeout: Duration) -> QueryError {
        QueryError(.timeout, "The request took longer than \(timeout).", path: run.request.path)
    }
}

/// What one attempt tells those around it.
private final class AttemptNotes: Sendable {
    /// It has ended, or was left behind.
    let isOver = Flag()
    /// It is a stream's, and has brought something.
    let isLive = Flag()
}

/// How the attempts of a run came out: for the machine, and with the result for its store.
struct AttemptResult: Sendable {
    let input: StoreInput
    let outcome: RunOutcome
}
