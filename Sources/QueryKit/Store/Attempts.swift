/// The attempts of one run, one after the other: validation, time limit, retries, and the question for permission.
struct Attempts: Sendable {
    let run: StartedRun
    let store: any StoreControl

    private var context: QueryContext { run.context }

    /// Runs that the library starts by itself are retried three times unless the request says otherwise.
    private var limit: Int { context.retry.limit ?? (run.start.origin == .library ? 3 : 0) }

    func result() async -> AttemptResult {
        do {
            try run.request.validate(in: context)
            return AttemptResult(input: try await value(), outcome: .success)
        } catch {
            // A fetch that was cancelled may throw an error of its own to say so.
            if error is CancellationError || Task.isCancelled { return AttemptResult(input: StoreInput(), outcome: .cancelled) }
            return AttemptResult(input: StoreInput(error: error), outcome: .failure(error))
        }
    }

    private func value() async throws -> StoreInput {
        var retries = 0
        var hasAskedForPermission = false
        while true {
            do {
                try Task.checkCancellation()
                return try await attempt(run.request)
            } catch {
                if error is CancellationError || Task.isCancelled { throw CancellationError() }
                switch context.recovery.step(after: error) {
                case .fail:
                    throw error
                case .retry:
                    guard retries < limit, context.retry.condition(error) else { throw error }
                    retries += 1
                    store.noteFailure(run.start, error)
                    let delay = context.retry.backoff.delay(afterFailures: retries)
                    if delay > .zero {
                        try await store.rest(run.start, until: context.clock.now.advanced(by: delay), on: context.clock)
                    }
                case .authorize:
                    guard !hasAskedForPermission, let authorization = context.authorization else { throw error }
                    hasAskedForPermission = true
                    guard await authorization(error, context) else { throw error }
                    store.noteFailure(run.start, error)
                }
            }
        }
    }

    private func attempt<Request: QueryRequest>(_ request: Request) async throws -> StoreInput {
        // An attempt that was left behind may not speak for the one after it.
        let isOver = SharedFlag()
        defer { isOver.raise() }
        let continuation = QueryContinuation<Request.Value> { [store, start = run.start] value in
            store.yield(StoreInput(value: value), from: isOver.isRaised ? start.overtaken : start)
        }
        guard let timeout = context.timeout else {
            return StoreInput(value: try await request.fetch(in: context, with: continuation))
        }
        // Not left to the clock, which might let the attempt win.
        if timeout <= .zero { throw timeoutError(timeout) }
        let promise = Promise<StoreInput>()
        // Owned by this attempt: cancelled when the time is up or the run is cancelled, and left behind if it does not listen.
        let work = Task {
            do {
                promise.resolve(.success(StoreInput(value: try await request.fetch(in: context, with: continuation))))
            } catch {
                promise.resolve(.failure(error))
            }
        }
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) {
            promise.resolve(.failure(timeoutError(timeout)))
        }
        defer {
            alarm.cancel()
            work.cancel()
        }
        return try await promise.get()
    }

    private func timeoutError(_ timeout: Duration) -> QueryError {
        QueryError(.timeout, "The request took longer than \(timeout).", path: run.request.path)
    }
}

/// How the attempts of a run came out: for the machine, and with the result for its store.
struct AttemptResult: Sendable {
    let input: StoreInput
    let outcome: RunOutcome
}
