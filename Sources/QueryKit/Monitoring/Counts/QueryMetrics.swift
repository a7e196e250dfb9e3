/// What a client counted since it was made: runs, look-ups and durations, in total and by prefix of their paths; see ``QueryClient/metrics``.
///
/// ```swift
/// let food = client.metrics.byPrefix["food"]
/// print(food?.p95 ?? .zero, food?.failureRate ?? 0)
/// ```
public struct QueryMetrics: Hashable, Codable, Sendable {
    /// What is counted for all requests, or for those whose paths begin alike.
    public struct Summary: Hashable, Codable, Sendable {
        /// Runs that began.
        public let runs: Int
        /// Runs that brought a value.
        public let successes: Int
        /// Runs that ended with an error.
        public let failures: Int
        /// Runs that were cancelled.
        public let cancelled: Int
        /// Attempts that failed, where the run went on to another.
        public let failedAttempts: Int
        /// Calls of ``QueryClient/fetch(_:)`` that a fresh cached value answered.
        public let hits: Int
        /// Calls of ``QueryClient/fetch(_:)`` that had to wait for a run. Requests with a fixed time to live of zero, which is the default, don't
        /// count: each of their calls waits for a run.
        public let misses: Int
        /// Runs under way, also those that wait between two attempts.
        public let running: Int
        /// How many runs were under way at most.
        public let peakRunning: Int
        /// The duration that half of the runs stay below, cancelled ones left out; `nil` before the first. At most 5 % off, like the others.
        public let p50: Duration?
        /// The duration that 95 of 100 runs stay below.
        public let p95: Duration?
        /// The duration that 99 of 100 runs stay below.
        public let p99: Duration?

        /// The share of runs that failed, of those that were not cancelled; `nil` before the first.
        public var failureRate: Double? { share(failures, of: successes + failures) }
        /// The share of hits among all look-ups; `nil` before the first.
        public var hitRate: Double? { share(hits, of: hits + misses) }

        private func share(_ part: Int, of all: Int) -> Double? { all == 0 ? nil : Double(part) / Double(all) }
    }

    /// All requests.
    public let total: Summary

    /// By the first elements of the paths, as text: ``QueryClient/Configuration/metricsDepth`` says how many.
    public let byPrefix: [String: Summary]

    /// What is left when there are more than 32 prefixes: all that came later.
    public let other: Summary?

    /// How many stores are kept.
    public let storeCount: Int

    /// About how many bytes their values take.
    public let byteCount: Int

    /// How many events slow listeners have missed.
    public let droppedEventCount: Int

    /// What ``other`` is called in text.
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
