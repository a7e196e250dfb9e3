extension QueryClient {
    /// Settings for all requests of a client. A request can override them.
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

        /// How long an unused store is kept. Default: 5 minutes. `keep(for:)` overrides it for a request.
        public var retention: Duration

        /// The maximum number of stores. Default: no limit. The least recently used stores are released first; stores in use are never
        /// released. Stores that are kept forever don't count toward this limit or ``byteLimit``; see `keep(for:)`.
        public var storeLimit: Int

        /// The maximum number of bytes that the values of all stores may take, approximately. Default: 100 MB. See ``ByteEstimating``.
        public var byteLimit: Int

        /// The thresholds for alerts. Default: see ``AlertThresholds``.
        public var alerts = AlertThresholds()

        /// The number of path elements that form a prefix. Default: 1. Runs are counted by prefix in ``QueryMetrics/byPrefix`` and for
        /// alerts. At most 32 prefixes are counted separately.
        public var metricsDepth = 1

        /// Whether the client observes the system's network status. Default: `true`.
        ///
        /// This property and the next three turn the system's observers on and off. An observer that you set in the context is always used.
        public var observesNetwork = true

        /// Whether the client observes when the app is active. Default: `true`.
        public var observesActivity = true

        /// Whether the client observes the system's memory pressure, and releases unused stores when memory is low. Default: `true`.
        public var observesMemoryPressure = true

        /// Whether the client observes the user's time zone. Default: `true`.
        public var observesCalendar = true

        /// Whether stale queries with observers refetch when the app becomes active. Default: `true`. Needs an
        /// ``QueryContext/activityObserver``.
        public var refetchesWhenActive = true

        /// Whether stale queries with observers refetch when the network is back. Default: `true`. Needs a
        /// ``QueryContext/networkObserver``.
        public var refetchesOnReconnect = true

        /// How long a consistent request may delay other consistent requests. Default: 250 ms. See `consistent()`.
        public var consistencyLimit: Duration = .milliseconds(250)

        /// Called once for each mistake in the use of the client; see ``QueryMistake``. Default: in a debug build of the library, prints
        /// the mistake to the unified log on Apple platforms and to standard error elsewhere; in a release build, `nil`.
        ///
        /// The closure is called without a lock, on the thread that made the mistake. If it is `nil`, the client does not check for
        /// mistakes.
        public var onMistake: (@Sendable (QueryMistake) -> Void)? = QueryMistake.standardSink

        /// A configuration for tests, tools and previews: the client doesn't observe the system, and doesn't refetch when the app becomes
        /// active or the network is back.
        ///
        /// ```swift
        /// let client = QueryClient(configuration: .isolated)
        /// ```
        public static var isolated: Configuration { Configuration().isolated }

        /// This configuration without observers of the system and without default triggers.
        package var isolated: Configuration {
            var isolated = self
            isolated.observesNetwork = false
            isolated.observesActivity = false
            isolated.observesMemoryPressure = false
            isolated.observesCalendar = false
            isolated.refetchesWhenActive = false
            isolated.refetchesOnReconnect = false
            return isolated
        }

        /// Creates a configuration.
        public init(retention: Duration = .seconds(300), storeLimit: Int = .max, byteLimit: Int = 100_000_000) {
            self.retention = retention
            self.storeLimit = storeLimit
            self.byteLimit = byteLimit
        }

        /// Adjusts the context of all requests that a pattern matches, before their own setup and modifiers.
        ///
        /// If two defaults change the same setting of a request, the later one wins. The request's own setup and modifiers override both.
        public mutating func setDefaults(
            matching pattern: QueryPattern = .all,
            _ apply: @escaping @Sendable (inout QueryContext) -> Void
        ) {
            defaults.append(Default(pattern: pattern, apply: apply))
        }
    }
}
