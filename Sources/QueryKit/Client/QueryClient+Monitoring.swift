/// What a client is doing: events as they happen, metrics, alerts, and a snapshot.
extension QueryClient {
    /// The events of the client from now on, such as each run with its cause and each value that was dropped.
    ///
    /// Each read of the property returns a separate stream, which buffers the newest 1,000 events for a slow reader.
    /// ``QueryMetrics/droppedEventCount`` counts the events that slow readers missed.
    public var events: AsyncStream<QueryEvent> { core.monitor.feed.listen() }

    /// How many events slow readers of ``events`` and slow sinks have missed.
    package var droppedEventCount: Int { core.monitor.feed.dropCount }

    /// Sends all events from now on to a sink, until the subscription is cancelled or its last copy is released.
    ///
    /// The sink is called on a separate thread, so it may block: the client never waits for it.
    public func attach(_ sink: some QueryEventSink) -> QuerySubscription {
        QuerySubscription(onCancel: core.monitor.feed.attach(sink))
    }

    /// Keeps the events from now on, up to a limit, until they are taken from the recorder. Ends with the subscription.
    package func record(limit: Int) -> (recorder: EventRecorder, subscription: QuerySubscription) {
        let (recorder, end) = core.monitor.feed.record(limit: limit)
        return (recorder, QuerySubscription(onCancel: end))
    }

    /// The counts since the client was created. Reading them takes some microseconds; counting is always on.
    public var metrics: QueryMetrics {
        core.monitor.metrics(storeCount: core.storeCount, byteCount: core.byteCount)
    }

    /// The alerts that are raised now, sorted by prefix and kind. An alert is raised when a measured value exceeds its threshold; see
    /// ``AlertThresholds`` for the rules.
    ///
    /// Events also report when an alert is raised and when it ends.
    public var alerts: [QueryAlert] { core.examineAlerts() }

    /// A snapshot of the client at this moment.
    ///
    /// It takes some microseconds per store, because it describes and sorts the stores: seconds for a million stores. It doesn't block
    /// other callers, so call it on a background thread if the client may have more than a few thousand stores. The cost of ``metrics`` and
    /// ``alerts`` doesn't depend on the number of stores.
    ///
    /// - Parameter includingValues: Whether values are included, as `print` would show them: those of the stores, those in the regions that
    ///   they have read, and those of requests in their default paths. Default: `false`, because values may be private.
    public func snapshot(includingValues: Bool = false) -> QueryClientSnapshot {
        let now = core.clock.now
        let stores = core.stores(matching: .all).map { $0.snapshot(at: now, includingValue: includingValues) }
        return QueryClientSnapshot(
            date: core.clock.date,
            stores: stores.sorted { ($0.path, $0.cause, $0.valueUpdateCount) < ($1.path, $1.cause, $1.valueUpdateCount) },
            metrics: metrics,
            alerts: alerts
        )
    }

    /// Reports a mistake in the use of the client: a debug build prints it, once for each subject. Call it without holding a lock.
    ///
    /// - Parameters:
    ///   - subject: What the mistake is about. Each subject is reported once per kind.
    ///   - path: The path of the request, if the mistake concerns a single one.
    ///   - message: What happened, and what to write instead. Evaluated only if the mistake is reported.
    package func report(
        _ kind: QueryMistake.Kind,
        about subject: String,
        at path: QueryPath? = nil,
        _ message: @autoclosure () -> String
    ) {
        core.report(kind, about: subject, at: path, message())
    }
}

extension StoreCore {
    fileprivate func snapshot(at now: QueryInstant, includingValue: Bool) -> QueryClientSnapshot.Store {
        let box = self.box
        return QueryClientSnapshot.Store(
            path: path,
            record: box.record,
            isStale: box.record.isStale(at: now, ttl: freshness(by: context).ttl),
            subscriberCount: subscriberCount,
            byteCount: box.byteCount,
            reads: reads,
            statements: statements,
            value: includingValue ? box.current.map { typing.text(of: $0) } : nil,
            showsValues: includingValue,
            now: now
        )
    }
}
