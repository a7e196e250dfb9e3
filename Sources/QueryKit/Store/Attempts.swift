/// The attempts of one run, one after the other: validation, time limit, retries, and the question for permission.
struct Attempts<State: QueryStateProtocol>: Sendable {
    let run: StartedRun<State>
    let continuation: QueryContinuation<State.QueryValue>
    let store: QueryStore<State>

    private var context: QueryContext { run.context }

    /// Runs that the library starts by itself are retried three times unless the request says otherwise.
    private var limit: Int { context.retry.limit ?? (run.start.origin == .library ? 3 : 0) }

    func result() async -> Result<State.QueryValue, any Error> {
        do {
            try run.request.validate(in: context)
            return .success(try await value())
        } catch {
            // A fetch that was cancelled may throw an error of its own to say so.
            return .failure(Task.isCancelled ? CancellationError() : error)
        }
    }

    private func value() async throws -> State.QueryValue {
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
                    store.noteFailure(run.start.number, error, run.start.cause)
                    let delay = context.retry.backoff.delay(afterFailures: retries)
                    if delay > .zero {
                        try await store.rest(run.start.number, until: context.clock.now.advanced(by: delay), on: context.clock)
                    }
                case .authorize:
                    guard !hasAskedForPermission, let authorization = context.authorization else { throw error }
                    hasAskedForPermission = true
                    guard await authorization(error, context) else { throw error }
                    store.noteFailure(run.start.number, error, run.start.cause)
                }
            }
        }
    }

    private func attempt(_ request: some QueryRequest<State.QueryValue, State>) async throws -> State.QueryValue {
        guard let timeout = context.timeout else { return try await request.fetch(in: context, with: continuation) }
        let promise = Promise<State.QueryValue>()
        // Owned by this attempt: cancelled when the time is up or the run is cancelled, and left behind if it does not listen.
        let work = Task {
            do {
                promise.resolve(.success(try await request.fetch(in: context, with: continuation)))
            } catch {
                promise.resolve(.failure(error))
            }
        }
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) {
            promise.resolve(.failure(QueryError(.timeout, "The request took longer than \(timeout).", path: request.path)))
        }
        defer {
            alarm.cancel()
            work.cancel()
        }
        return try await promise.get()
    }
}
