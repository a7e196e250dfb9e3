/// One attempt of a run: takes what the fetch yields, and sees that it keeps its time.
///
/// The first attempt of a run costs no object of its own: the run takes what it yields.
struct Attempt: Sendable {
    private let run: StoreRun
    /// The marks of an attempt after the first; those of the first are in the run.
    private let later: LaterAttempt?

    /// What several tasks have to know of an attempt.
    struct Marks: ~Copyable, Sendable {
        /// It has ended, or was left behind: it may not speak for the one after it.
        let isOver = Flag()
        /// It is a stream's, and has brought something.
        let isLive = Flag()
        // Invariant: set before the attempt begins.
        /// Its place among the runs that may work at once.
        nonisolated(unsafe) var place: QuerySubscription?
    }

    init(_ run: StoreRun, isFirst: Bool) {
        self.run = run
        later = isFirst ? nil : LaterAttempt(run)
    }

    fileprivate init(_ run: StoreRun, _ later: LaterAttempt?) {
        self.run = run
        self.later = later
    }

    private var store: StoreCore { run.store }
    /// A run that was left is over before its attempt is.
    private var isOver: Bool { run.isOver.isRaised || later?.marks.isOver.isRaised ?? run.firstMarks.isOver.isRaised }
    var isLive: Bool { later?.marks.isLive.isRaised ?? run.firstMarks.isLive.isRaised }

    /// Holds a place among the runs that may work at once, until the end.
    func hold(_ place: QuerySubscription?) {
        guard let place else { return }
        if let later { later.marks.place = place } else { run.firstMarks.place = place }
    }

    private func leavePlace() {
        if let later { later.marks.place?.cancel() } else { run.firstMarks.place?.cancel() }
    }

    func end() {
        _ = later?.marks.isOver.raise() ?? run.firstMarks.isOver.raise()
        leavePlace()
    }

    /// Fetches, within the time that the context leaves.
    func value<Request: QueryRequest>(of request: Request) async throws -> AnyValue {
        if let timeout = run.context.settings.timeout { return try await value(of: request, within: timeout) }
        return store.typing.boxes.box(try await request.fetch(in: run.context, with: QueryContinuation(taker)))
    }

    private func value<Request: QueryRequest>(of request: Request, within timeout: Duration) async throws -> AnyValue {
        // Not left to the clock, which might let the attempt win.
        if timeout <= .zero { throw timeoutError(timeout) }
        let context = run.context
        let promise = Promise<AnyValue>()
        // Counts the run from the moment its time is up: the fetch may be waiting, and so not count as working.
        let token = store.host.work.begin()
        token.rest()
        // Set before the fetch begins. As soon as the fetch waits, a test that awaits `settled()` may advance the manual clock.
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) {
            // A stream that is open has kept its time.
            if isLive { return }
            token.wake()
            promise.resolve(.failure(timeoutError(timeout)))
        }
        // Owned by this attempt: cancelled when the time is up or the run is cancelled, and left behind if it does not listen.
        let work = Task.detached(priority: Task.currentPriority) { [scope = RunScope.current] in
            do {
                let value = try await RunScope.$current.withValue(scope) {
                    try await request.fetch(in: context, with: QueryContinuation<Request.Value>(taker))
                }
                promise.resolve(.success(store.typing.boxes.box(value)))
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

    private func timeoutError(_ timeout: Duration) -> QueryError {
        QueryError(.timeout, "The request took longer than \(timeout).", path: run.request.path)
    }
}

extension Attempt {
    /// What takes what the fetch yields.
    private var taker: any YieldTaker { later ?? run }

    fileprivate func take(_ value: AnyValue, _ kind: YieldKind) {
        let input = StoreInput(value: value, byteCount: store.typing.byteCount(of: value))
        let start = isOver ? run.start.overtaken : run.start
        switch kind {
        case .partial:
            // The result will tell, together with those of others.
            if store.host.picture.holds(run) { return }
            if let owner = run.owner, !isOver { store.noteYield(of: owner, run.number, value) } else { store.yield(input, from: start) }
        case .live:
            _ = later?.marks.isLive.raise() ?? run.firstMarks.isLive.raise()
            // A stream has done its work, and waits for others from now on.
            leavePlace()
            store.host.picture.leave(run)
            store.stream(input, from: start)
        }
    }
}

extension StoreRun: YieldTaker {
    /// What the first attempt yields.
    func take(_ value: AnyValue, _ kind: YieldKind) { Attempt(self, nil).take(value, kind) }
}

/// An attempt after the first.
private final class LaterAttempt: YieldTaker {
    private let run: StoreRun
    // Invariant: changed only before the attempt begins.
    nonisolated(unsafe) var marks = Attempt.Marks()

    init(_ run: StoreRun) { self.run = run }

    func take(_ value: AnyValue, _ kind: YieldKind) { Attempt(run, self).take(value, kind) }
}
