/// The counts of the runs below one prefix of paths, and the alert rules for them.
struct RunTally: Sendable {
    private(set) var counts = Counts()
    /// The durations of runs that succeeded or failed. The duration of a cancelled run has no meaning.
    private(set) var durations = LatencyHistogram()
    private var failures: RateWindow
    private var misses: RateWindow
    /// `nil` if no target is set.
    private var latencies: LatencyWindow?
    private(set) var failureRule: AlertRule
    private(set) var missRule: AlertRule
    private var latencyRule: AlertRule
    private var ends = 0

    struct Counts: Equatable, Sendable {
        var runs = 0
        var successes = 0
        var failures = 0
        var cancelled = 0
        var failedAttempts = 0
        var hits = 0
        var misses = 0
        var peak = 0

        var running: Int { runs - successes - failures - cancelled }

        /// Adds all counts except the peak: two prefixes need not have reached their peaks at the same time.
        mutating func add(_ other: Counts) {
            runs += other.runs
            successes += other.successes
            failures += other.failures
            cancelled += other.cancelled
            failedAttempts += other.failedAttempts
            hits += other.hits
            misses += other.misses
        }
    }

    /// How a run ended.
    enum End: Sendable {
        case succeeded, failed, cancelled
    }

    /// The consequence of counting the end of a run or a lookup.
    enum Consequence: Equatable, Sendable {
        case nothing
        /// The failure rule has raised or cleared its alert.
        case failuresChanged
        /// The miss rule has raised or cleared its alert.
        case missesChanged
        /// It is time to evaluate the rules that are too expensive to evaluate each time something is counted.
        case examination
    }

    init(_ thresholds: AlertThresholds, target: Duration?) {
        let samples = min(thresholds.minimumSamples, thresholds.window)
        failures = RateWindow(span: thresholds.window)
        misses = RateWindow(span: thresholds.window)
        latencies = target.map { _ in LatencyWindow(span: thresholds.window) }
        failureRule = AlertRule(.failureRate, above: thresholds.failureRate, neededSamples: samples)
        missRule = AlertRule(.missRate, above: thresholds.missRate, neededSamples: samples)
        latencyRule = AlertRule(.p95, above: target.map { $0.seconds * thresholds.p95Factor }, neededSamples: samples)
    }

    mutating func noteStart() {
        counts.runs += 1
        counts.peak = max(counts.peak, counts.running)
    }

    mutating func noteEnd(_ end: End, nanoseconds: Int64) -> Consequence {
        switch end {
        case .cancelled:
            counts.cancelled += 1
            return .nothing
        case .succeeded: counts.successes += 1
        case .failed: counts.failures += 1
        }
        durations.note(nanoseconds: nanoseconds)
        latencies?.note(nanoseconds: nanoseconds)
        failures.note(isBad: end == .failed)
        ends += 1
        if failureRule.judge(failures.rate, samples: failures.count) { return .failuresChanged }
        return ends % 16 == 0 ? .examination : .nothing
    }

    mutating func noteFailedAttempt() { counts.failedAttempts += 1 }

    /// Counts a lookup in the cache.
    mutating func noteLookup(isHit: Bool) -> Consequence {
        if isHit { counts.hits += 1 } else { counts.misses += 1 }
        misses.note(isBad: !isHit)
        return missRule.judge(misses.rate, samples: misses.count) ? .missesChanged : .nothing
    }

    /// Evaluates the rule that is too expensive to evaluate each time something is counted. Returns it if it has raised or cleared its
    /// alert.
    mutating func examine() -> AlertRule? {
        guard let latencies, let p95 = latencies.quantile(0.95) else { return nil }
        return latencyRule.judge(p95.seconds, samples: latencies.count) ? latencyRule : nil
    }

    /// The rules whose alerts are raised.
    var raised: [AlertRule] { [failureRule, missRule, latencyRule].filter(\.isRaised) }
}
