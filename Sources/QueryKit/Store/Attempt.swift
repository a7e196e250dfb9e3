/// One attempt of a run: takes what the fetch yields, and sees that it keeps its time.
final class Attempt: Sendable {
    private let run: StoreRun
    private var store: StoreCore { run.store }
    /// It has ended, or was left behind: it may not speak for the one after it.
    private let isOver = Flag()
    /// It is a stream's, and has brought something.
    let isLive = Flag()
    // Invariant: set before the attempt begins.
    nonisolated(unsafe) private var place: QuerySubscription?

    init(_ run: StoreRun) { self.run = run }

    /// Holds a place among the runs that may work at once, until the end.
    func hold(_ place: QuerySubscription?) { self.place = place }

    func end() {
        _ = isOver.raise()
        place?.cancel()
    }

    /// Fetches, within the time that the context leaves.
    func value<Request: QueryRequest>(of request: Request) async throws -> StoreInput {
        if let timeout = run.context.settings.timeout { return try await value(of: request, within: timeout) }
        let context = run.context
        return input(try await request.fetch(in: context, with: QueryContinuation(self)))
    }

    private func value<Request: QueryRequest>(of request: Request, within timeout: Duration) async throws -> StoreInput {
        // Not left to the clock, which might let the attempt win.
        if timeout <= .zero { throw timeoutError(timeout) }
        let context = run.context
        let promise = Promise<StoreInput>()
        // Counts the run from the moment its time is up: the fetch may be waiting, and so not count as working.
        let token = store.host.work.begin()
        token.rest()
        // Set before the fetch begins. As soon as the fetch waits, a test that awaits `settled()` may advance the manual clock.
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) { [self] in
            // A stream that is open has kept its time.
            if isLive.isRaised { return }
            token.wake()
            promise.resolve(.failure(timeoutError(timeout)))
        }
        // Owned by this attempt: cancelled when the time is up or the run is cancelled, and left behind if it does not listen.
        let work = Task.detached(priority: Task.currentPriority) { [self, scope = RunScope.current] in
            do {
                let value = try await RunScope.$current.withValue(scope) {
                    try await request.fetch(in: context, with: QueryContinuation<Request.Value>(self))
                }
                promise.resolve(.success(input(value)))
            } catch {
                promise.resolve(.failure(error))
            }
        }
        defer {
            alarm.cancel()
            work.cancel()
            token.end()
        }
        do {
            return try await promise.get()
        } catch {
            // A fetch that doesn't react to its cancellation may still be waiting. The run goes on without it.
            store.wake(run)
            throw error
        }
    }

    private func input<Value: Sendable>(_ value: Value) -> StoreInput {
        let value = AnyValue(value)
        var input = StoreInput(value: value, byteCount: store.typing.byteCount(of: value))
        input.date = run.takeDate()
        return input
    }

    private func timeoutError(_ timeout: Duration) -> QueryError {
        QueryError(.timeout, "The request took longer than \(timeout).", path: run.request.path)
    }
}

extension Attempt: YieldTaker {
    func take(_ value: AnyValue, _ kind: YieldKind) {
        let input = StoreInput(value: value, byteCount: store.typing.byteCount(of: value))
        let start = isOver.isRaised ? run.start.overtaken : run.start
        switch kind {
        case .partial:
            store.yield(input, from: start)
        case .live:
            _ = isLive.raise()
            // A stream has done its work, and waits for others from now on.
            place?.cancel()
            store.stream(input, from: start)
        }
    }
}
