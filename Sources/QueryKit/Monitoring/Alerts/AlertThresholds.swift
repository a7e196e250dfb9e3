/// The thresholds at which a client raises alerts; see ``QueryClient/Configuration/alerts``. `nil` turns a rule off.
///
/// ```swift
/// configuration.alerts.p95Targets = ["food": .milliseconds(50)]
/// configuration.alerts.missRate = nil
/// ```
///
/// All rules except the memory rule evaluate the latest 100 to 200 runs or lookups of requests with the same path prefix. They need at
/// least 20 runs or lookups. An alert is raised above its threshold and cleared at four fifths of it, so that it does not flicker. Rates
/// are evaluated after each run or lookup; p95 and memory after every sixteenth run with the same prefix, and when
/// ``QueryClient/alerts`` is read. There is no timer: while nothing runs, alerts don't change.
public struct AlertThresholds: Hashable, Sendable {
    /// The target for the 95th percentile of run durations. Default: `nil`, no target.
    public var p95Target: Duration?

    /// Targets for paths that begin with a prefix; the longest matching prefix counts. Default: none.
    ///
    /// A prefix longer than ``QueryClient/Configuration/metricsDepth`` never matches.
    public var p95Targets: [QueryPath: Duration]

    /// By which factor p95 must exceed its target to raise an alert. Default: 2.
    public var p95Factor: Double

    /// The maximum share of failed runs, without cancelled ones. Default: 0.05.
    public var failureRate: Double?

    /// The maximum share of calls of ``QueryClient/fetch(_:)`` without a fresh value, for requests whose values can be fresh. Default: 0.8.
    public var missRate: Double?

    /// The approximate maximum of bytes that the values of all stores take. Default: 100,000,000.
    public var byteCount: Int?

    /// The minimum number of runs or lookups for evaluating a rule.
    package var minimumSamples = 20

    /// How many runs or lookups count as the latest: at least this number, at most twice as many.
    package var window = 100

    /// Creates thresholds.
    public init(
        p95Target: Duration? = nil,
        p95Targets: [QueryPath: Duration] = [:],
        p95Factor: Double = 2,
        failureRate: Double? = 0.05,
        missRate: Double? = 0.8,
        byteCount: Int? = 100_000_000
    ) {
        self.p95Target = p95Target
        self.p95Targets = p95Targets
        self.p95Factor = p95Factor
        self.failureRate = failureRate
        self.missRate = missRate
        self.byteCount = byteCount
    }

    /// The target for paths with a prefix.
    func target(for prefix: QueryPath) -> Duration? {
        p95Targets.filter { prefix.starts(with: $0.key) }.max { $0.key.count < $1.key.count }?.value ?? p95Target
    }
}
