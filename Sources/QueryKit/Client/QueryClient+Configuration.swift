extension QueryClient {
    /// What holds for all requests of a client, as long as a request does not say otherwise.
    ///
    /// ```swift
    /// var configuration = QueryClient.Configuration()
    /// configuration.storeLimit = 1_000
    /// configuration.setDefaults { $0.ttl = .seconds(60) }
    /// configuration.setDefaults(matching: "food/**") { $0.retry.limit = 5 }
    /// ```
    public struct Configuration: Sendable {
        struct Default: Sendable {
            let pattern: QueryPattern
            let apply: @Sendable (inout QueryContext) -> Void
        }

        var defaults: [Default] = []

        struct Limit: Sendable {
            let pattern: QueryPattern
            let count: Int
        }

        var limits: [Limit] = []

        /// How long a store is kept that nobody uses. Default: 5 minutes. `keep(for:)` says otherwise for one request.
        public var retention: Duration

        /// How many stores are kept at most; those used longest ago go first, those in use never. Default: no limit.
        public var storeLimit: Int

        /// How many bytes the values of all stores may take, roughly. Default: 100 MB. See ``ByteEstimating``.
        public var byteLimit: Int

        /// When an alert is raised. Default: see ``AlertThresholds``.
        public var alerts = AlertThresholds()

        /// How many elements of a path tell in ``QueryMetrics/byPrefix`` and in alerts where a run is counted. Default: 1. The first 32
        /// prefixes are told apart.
        public var metricsDepth = 1

        /// Creates a configuration.
        public init(retention: Duration = .seconds(300), storeLimit: Int = .max, byteLimit: Int = 100_000_000) {
            self.retention = retention
            self.storeLimit = storeLimit
            self.byteLimit = byteLimit
        }

        /// Adjusts the context of all requests that a pattern matches, before their own setup and modifiers do.
        ///
        /// Of two that set the same thing for a request, the later one wins; what is nearer to the request wins over both.
        public mutating func setDefaults(
            matching pattern: QueryPattern = .all,
            _ apply: @escaping @Sendable (inout QueryContext) -> Void
        ) {
            defaults.append(Default(pattern: pattern, apply: apply))
        }
    }
}
