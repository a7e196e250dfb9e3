/// What goes on in a client: events as they happen, numbers, alerts, and a picture of the moment.
extension QueryClient {
    /// What happens in the client from now on: each run with its cause, and everything that was dropped.
    ///
    /// Each call returns a stream of its own, which keeps the newest 1,000 events for a slow reader; ``QueryMetrics/droppedEventCount`` counts the rest.
    public var events: AsyncStream<QueryEvent> { core.monitor.feed.listen() }

    /// How many events slow readers of ``events``, and slow sinks, have missed.
    package var droppedEventCount: Int { core.monitor.feed.dropCount }

    /// Sends the events from now on to a sink, until the subscription is cancelled or its last copy goes.
    ///
    /// The sink is called on a thread of its own, so it may block: the client never waits for it.
    public func attach(_ sink: some QueryEventSink) -> QuerySubscription {
        QuerySubscription(onCancel: core.monitor.feed.attach(sink))
    }

    /// What was counted since the client was made. Costs some microseconds; counting itself goes on all the time.
    public var metrics: QueryMetrics {
        core.monitor.metrics(storeCount: core.storeCount, byteCount: core.byteCount)
    }

    /// What is worse than its threshold, by prefix and kind; see ``AlertThresholds`` for the rules.
    ///
    /// Alerts that come and go are events, too.
    public var alerts: [QueryAlert] { core.examineAlerts() }

    /// What the client looks like at this moment.
    ///
    /// Takes some microseconds per store, because it describes and sorts them: seconds for a million stores. No other caller waits for it, so
    /// call it on a background thread if the client may have more than some thousand stores. ``metrics`` and ``alerts`` alone cost no more
    /// with many stores.
    ///
    /// - Parameter includingValues: Whether values are included, as `print` would show them. Default: `false`, because they may be private.
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

    /// Reports a mistake in the use of the client: a debug build prints it, once for each subject. Call it without a lock.
    ///
    /// - Parameters:
    ///   - subject: What it is about. Of one kind each subject is reported once.
    ///   - path: The request, if it is a single one.
    ///   - message: What happened, and what to write instead. Made only if it is reported.
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
            value: includingValue ? box.current.map { typing.text(of: $0) } : nil,
            now: now
        )
    }
}
