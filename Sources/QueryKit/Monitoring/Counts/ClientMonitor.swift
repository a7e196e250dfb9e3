/// Counts what happens in a client, evaluates the alert rules, and passes events to listeners.
///
/// Counting is always on: a lock, a few additions, and no allocation once a store is known. Events are created only while there are
/// listeners.
final class ClientMonitor: Sendable {
    let feed: EventFeed
    private let thresholds: AlertThresholds
    private let depth: Int
    private let book: Lock<PrefixTallies>
    private let watch: Watch

    /// Whether there are listeners (1 or 0), readable without a lock, and the number of the latest origin.
    private final class Watch: Sendable {
        let hasListeners = Gauge()
        let lastOrigin = Tally()
    }

    init(thresholds: AlertThresholds, depth: Int) {
        self.thresholds = thresholds
        self.depth = max(depth, 0)
        let book = Lock(PrefixTallies(thresholds))
        self.book = book
        let watch = Watch()
        self.watch = watch
        feed = EventFeed { listeners in
            book.withLock { $0.listeners = listeners }
            watch.hasListeners.set(listeners == nil ? 0 : 1)
        }
    }

    /// Whether there are listeners to events.
    var hasListeners: Bool { watch.hasListeners.value > 0 }

    /// A number for an origin of changes.
    func nextOrigin() -> Int { watch.lastOrigin.add(1) }

    // MARK: Counting

    /// What the caller must do after something was counted.
    struct Notice: Sendable {
        /// The listeners to events; `nil` if there are none.
        let listeners: EventListeners?
        /// The tally to examine; `nil` if none.
        var examines: Int?
    }

    /// Counts the start of a run. `path` is called only the first time that something is counted for a store.
    ///
    /// - Parameter isMiss: Whether to count a cache miss, too, because the caller would have accepted a fresh value.
    func runStarted(
        _ source: PrefixTallies.Source,
        at start: QueryInstant,
        isMiss: Bool,
        path: () -> QueryPath
    ) -> (RunTrace, Notice) {
        note(source, path) { book, tally in
            let examines = isMiss && book.noteLookup(tally, isHit: false)
            let trace = RunTrace(number: book.noteStart(tally), tally: tally, start: start)
            return (trace, Notice(listeners: book.listeners, examines: examines ? tally : nil))
        }
    }

    func runEnded(_ trace: RunTrace, _ end: RunTally.End, at instant: QueryInstant) -> Notice {
        book.withLock { book in
            let examines = book.noteEnd(trace.tally, end, nanoseconds: trace.nanoseconds(to: instant))
            return Notice(listeners: book.listeners, examines: examines ? trace.tally : nil)
        }
    }

    func attemptFailed(_ source: PrefixTallies.Source, path: () -> QueryPath) {
        note(source, path) { $0.noteFailedAttempt($1) }
    }

    /// Counts a lookup in the cache.
    func lookedUp(_ source: PrefixTallies.Source, isHit: Bool, path: () -> QueryPath) -> Notice {
        note(source, path) { book, tally in
            let examines = book.noteLookup(tally, isHit: isHit)
            return Notice(listeners: book.listeners, examines: examines ? tally : nil)
        }
    }

    @inline(__always)
    private func note<Result: Sendable>(
        _ source: PrefixTallies.Source,
        _ path: () -> QueryPath,
        _ change: (inout PrefixTallies, Int) -> Result
    ) -> Result {
        let known = book.withLock { book -> Result? in
            guard let tally = book.tally(of: source) else { return nil }
            return change(&book, tally)
        }
        if let known { return known }
        // Called outside the lock, because a path and its elements are user code.
        let prefix = QueryPath(elements: Array(path().elements.prefix(depth)))
        let text = prefix.description
        let new = RunTally(thresholds, target: thresholds.target(for: prefix))
        let other = RunTally(thresholds, target: thresholds.p95Target)
        return book.withLock { book in
            let tally = book.enlist(source, prefix: text, new: new, other: other)
            return change(&book, tally)
        }
    }

    // MARK: Alerts

    /// Evaluates one tally, or all of them, and reports raised and cleared alerts.
    func examine(_ tally: Int?, byteCount: Int, _ cause: QueryCause, on clock: any QueryClock) {
        let changes = book.withLock { $0.examine(tally, byteCount: byteCount) }
        guard !changes.isEmpty, hasListeners else { return }
        let now = clock.now
        for change in changes {
            let path = QueryPath(stringLiteral: change.alert.prefix ?? "")
            let kind: QueryEvent.Kind = change.isRaised ? .alertRaised : .alertCleared
            feed.send(QueryEvent(kind: kind, path: path, cause: cause, instant: now, alert: change.alert))
        }
    }

    /// The raised alerts, as of the last examination.
    var alerts: [QueryAlert] { book.withLock { $0.alerts } }

    // MARK: Metrics

    func metrics(storeCount: Int, byteCount: Int) -> QueryMetrics {
        let book = book.withLock { $0 }
        return QueryMetrics(book, storeCount: storeCount, byteCount: byteCount, droppedEventCount: feed.dropCount)
    }
}

/// What the monitor needs to know of a run until it ends.
struct RunTrace: Sendable {
    /// The number of the run among all runs of the client.
    let number: Int
    /// The number of the tally that counts the run.
    let tally: Int
    let start: QueryInstant

    func nanoseconds(to end: QueryInstant) -> Int64 {
        let (difference, overflow) = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
        return overflow ? .max : max(difference, 0)
    }
}
