/// The counts of a client since it was created: runs, lookups and durations, in total and by prefix of their paths; see
/// ``QueryClient/metrics``.
///
/// ```swift
/// let food = client.metrics.byPrefix["food"]
/// print(food?.p95 ?? .zero, food?.failureRate ?? 0)
/// ```
public struct QueryMetrics: Hashable, Codable, Sendable {
    /// The counts for all requests, or for those with the same path prefix.
    public struct Summary: Hashable, Codable, Sendable {
        /// Runs that began.
        public let runs: Int
        /// Runs that returned a value.
        public let successes: Int
        /// Runs that ended with an error.
        public let failures: Int
        /// Runs that were cancelled.
        public let cancelled: Int
        /// Failed attempts after which the run continued with another attempt.
        public let failedAttempts: Int
        /// Calls of ``QueryClient/fetch(_:)`` that returned a fresh cached value.
        public let hits: Int
        /// Calls of ``QueryClient/fetch(_:)`` that had to wait for a run. Requests with a fixed time to live of zero, the default, don't
        /// count, because each of their calls waits for a run.
        public let misses: Int
        /// Runs under way, including those that wait between two attempts.
        public let running: Int
        /// The highest number of runs under way at the same time.
        public let peakRunning: Int
        /// The median duration of runs, without cancelled ones; `nil` until the first such run has ended. At most 5 % off, like the other
        /// percentiles.
        public let p50: Duration?
        /// The 95th percentile of run durations.
        public let p95: Duration?
        /// The 99th percentile of run durations.
        public let p99: Duration?

        /// The share of failed runs, without cancelled ones; `nil` until the first such run has ended.
        public var failureRate: Double? { share(failures, of: successes + failures) }
        /// The share of hits among all lookups; `nil` before the first lookup.
        public var hitRate: Double? { share(hits, of: hits + misses) }

        private func share(_ part: Int, of all: Int) -> Double? { all == 0 ? nil : Double(part) / Double(all) }
    }

    /// The counts of all requests.
    public let total: Summary

    /// The counts by the first elements of the paths, as text. ``QueryClient/Configuration/metricsDepth`` sets the number of elements.
    public let byPrefix: [String: Summary]

    /// The counts of all further prefixes, if there are more than 32.
    public let other: Summary?

    /// The number of stores.
    public let storeCount: Int

    /// The approximate number of bytes that the values of all stores take.
    public let byteCount: Int

    /// How many events slow listeners have missed.
    public let droppedEventCount: Int

    /// The name of ``other`` in text.
    static let otherName = "other"
}

extension QueryMetrics {
    init(_ book: PrefixTallies, storeCount: Int, byteCount: Int, droppedEventCount: Int) {
        var counts = RunTally.Counts()
        var durations = LatencyHistogram()
        var byPrefix: [String: Summary] = [:]
        var other: Summary?
        for (prefix, tally) in zip(book.prefixes, book.tallies) {
            counts.add(tally.counts)
            durations.merge(tally.durations)
            let summary = Summary(tally.counts, tally.durations)
            if let prefix { byPrefix[prefix] = summary } else { other = summary }
        }
        counts.peak = book.peak
        total = Summary(counts, durations)
        self.byPrefix = byPrefix
        self.other = other
        self.storeCount = storeCount
        self.byteCount = byteCount
        self.droppedEventCount = droppedEventCount
    }
}

extension QueryMetrics.Summary {
    fileprivate init(_ counts: RunTally.Counts, _ durations: LatencyHistogram) {
        runs = counts.runs
        successes = counts.successes
        failures = counts.failures
        cancelled = counts.cancelled
        failedAttempts = counts.failedAttempts
        hits = counts.hits
        misses = counts.misses
        running = counts.running
        peakRunning = counts.peak
        p50 = durations.quantile(0.5)
        p95 = durations.quantile(0.95)
        p99 = durations.quantile(0.99)
    }
}
