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

        /// How long an unused store is kept. Default: 5 minutes. `keep(for:)` overrides it for one request.
        public var retention: Duration

        /// How many stores are kept at most; those used longest ago go first, those in use never. Default: no limit. Stores that are kept for
        /// ever don't count here, nor for ``byteLimit``; see `keep(for:)`.
        public var storeLimit: Int

        /// How many bytes the values of all stores may take, roughly. Default: 100 MB. See ``ByteEstimating``.
        public var byteLimit: Int

        /// When an alert is raised. Default: see ``AlertThresholds``.
        public var alerts = AlertThresholds()

        /// How many elements of a path tell in ``QueryMetrics/byPrefix`` and in alerts where a run is counted. Default: 1. The first 32
        /// prefixes are told apart.
        public var metricsDepth = 1

        /// Whether the client learns from the system whether there is a network. Default: `true`.
        ///
        /// This and the three properties below concern the observers of the system. An observer that you set in the context is used in any case.
        public var observesNetwork = true

        /// Whether the client learns from the system whether the app is active. Default: `true`.
        public var observesActivity = true

        /// Whether the client learns from the system that memory is short, and then releases stores that are not in use. Default: `true`.
        public var observesMemoryPressure = true

        /// Whether the client learns from the system in which time zone the user is. Default: `true`.
        public var observesCalendar = true

        /// Whether stale queries with observers refetch when the app becomes active. Default: `true`. Needs an ``QueryContext/activityObserver``.
        public var refetchesWhenActive = true

        /// Whether stale queries with observers refetch when the network is back. Default: `true`. Needs a ``QueryContext/networkObserver``.
        public var refetchesOnReconnect = true

        /// How long a request may keep others waiting with which it is to be seen at one moment. Default: 250 ms. See `consistent()`.
        public var consistencyLimit: Duration = .milliseconds(250)

        /// Called with each mistake in the use of the client, once for each; `nil` for none. Default: a debug build of the library prints it, to the
        /// unified log on Apple platforms and to standard error elsewhere, and a release build does nothing. See ``QueryMistake``.
        ///
        /// It is called without a lock, on the thread that made the mistake. Without a closure the client looks for no mistakes.
        public var onMistake: (@Sendable (QueryMistake) -> Void)? = QueryMistake.standardSink

        /// A configuration for a client that takes nothing from the system and refetches on no event by itself: for tests, tools and previews.
        ///
        /// ```swift
        /// let client = QueryClient(configuration: .isolated)
        /// ```
        public static var isolated: Configuration { Configuration().isolated }

        /// The same configuration without the system and without default triggers.
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
