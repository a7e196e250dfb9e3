/// One attempt of a run: receives the values that the fetch yields, and enforces the timeout.
///
/// The first attempt of a run needs no object of its own: the run itself receives the yielded values.
struct Attempt: Sendable {
    private let run: StoreRun
    /// The attempt's own object; `nil` for the first attempt, whose marks are in the run.
    private let later: LaterAttempt?

    /// The properties of an attempt that several tasks share.
    struct Marks: ~Copyable, Sendable {
        /// It has ended or was left behind, so its values no longer count.
        let isOver = Flag()
        /// It is an attempt of a stream, and has delivered a value.
        let isLive = Flag()
        // Invariant: set before the attempt begins.
        /// Its place among the runs that may work at the same time.
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
    /// When its caller has left, a private run is over, even if its attempt hasn't ended.
    private var isOver: Bool { run.isOver.isRaised || later?.marks.isOver.isRaised ?? run.firstMarks.isOver.isRaised }
    var isLive: Bool { later?.marks.isLive.isRaised ?? run.firstMarks.isLive.isRaised }

    /// Holds a place among the runs that may work at the same time, until the attempt ends.
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

    /// Fetches the value, within the timeout of the context.
    func value<Request: QueryRequest>(of request: Request) async throws -> AnyValue {
        if let timeout = run.context.settings.timeout { return try await value(of: request, within: timeout) }
        return store.typing.boxes.box(try await request.fetch(in: run.context, with: QueryContinuation(taker)))
    }

    private func value<Request: QueryRequest>(of request: Request, within timeout: Duration) async throws -> AnyValue {
        // Fail directly, because with an alarm the attempt might end first.
        if timeout <= .zero { throw QueryError.timeout(after: timeout, at: run.request.path) }
        let context = run.context
        let promise = Promise<AnyValue>()
        // The token counts as work from the timeout on, because the fetch may be waiting, and then doesn't count.
        let token = store.host.work.begin()
        token.suspend()
        // Set the alarm before the fetch begins. As soon as the fetch waits, a test that awaits `settled()` may advance the manual clock.
        let alarm = store.host.schedule(at: context.clock.now.advanced(by: timeout), on: context.clock) {
            // The timeout doesn't apply to a stream that has brought a value.
            if isLive { return }
            token.resume()
            promise.resolve(.failure(QueryError.timeout(after: timeout, at: run.request.path)))
        }
        // Owned by this attempt, which cancels it at the timeout or with the run. If the task ignores cancellation, it is left behind.
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
            // A fetch that ignores its cancellation may still be waiting, so count the run, which continues without it.
            store.resumeCounting(run)
            throw error
        }
    }
}

extension Attempt {
    /// The receiver of the values that the fetch yields.
    private var taker: any YieldTaker { later ?? run }

    fileprivate func take(_ value: AnyValue, _ kind: YieldKind) {
        let input = StoreInput(value: value, byteCount: store.typing.byteCount(of: value))
        let start = isOver ? run.start.overtaken : run.start
        switch kind {
        case .partial:
            // Skip intermediate values: the result is published together with those of other stores.
            if store.host.rounds.holds(run) { return }
            if let owner = run.owner, !isOver { store.noteYield(of: owner, run.number, value) } else { store.yield(input, from: start) }
        case .live:
            _ = later?.marks.isLive.raise() ?? run.firstMarks.isLive.raise()
            // From now on the stream only waits for its next element.
            leavePlace()
            store.host.rounds.leave(run)
            store.stream(input, from: start)
        }
    }
}

extension StoreRun: YieldTaker {
    /// Receives a value that the first attempt has yielded.
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
