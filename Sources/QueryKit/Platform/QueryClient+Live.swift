extension QueryClient {
    /// Creates a client that uses the observers of the system: network, app activity, memory pressure and time zone.
    ///
    /// ```swift
    /// let client = QueryClient()
    /// ```
    ///
    /// This table shows what the client observes by default, and the property of ``Configuration`` that turns it off:
    ///
    /// | by default | turned off by | uses |
    /// |---|---|---|
    /// | runs wait for the network, see ``QueryNetworkMode`` | ``Configuration/observesNetwork`` | ``QueryContext/networkObserver`` |
    /// | observes whether the app is active | ``Configuration/observesActivity`` | ``QueryContext/activityObserver`` |
    /// | releases stores that are not in use when memory is low | ``Configuration/observesMemoryPressure`` | ``QueryContext/memoryPressureSource`` |
    /// | follows the user's time zone | ``Configuration/observesCalendar`` | ``QueryContext/timeZoneObserver`` |
    /// | stale, observed queries refetch when the app becomes active | ``Configuration/refetchesWhenActive`` | ``QueryContext/activityObserver`` |
    /// | stale, observed queries refetch when the network is back | ``Configuration/refetchesOnReconnect`` | ``QueryContext/networkObserver`` |
    ///
    /// ``Configuration/isolated`` turns off all of these. If the context already has an observer, the client uses it instead of the
    /// system's observer.
    ///
    /// - Parameters:
    ///   - context: The environment of all runs: use cases, clock, calendar. Default: an empty context.
    ///   - configuration: Retention, budgets, the defaults above, and settings for many requests at once. Default: see ``Configuration``.
    public convenience init(context: QueryContext = QueryContext(), configuration: Configuration = Configuration()) {
        self.init(completed: context.completed(by: configuration), configuration)
    }

    /// Creates a client for a test: without observers of the system, and with a clock that you advance.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// let client = QueryClient.test(clock: clock)
    /// clock.advance(by: .seconds(60))
    /// await client.settled()
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock of the client, which replaces the clock of the context. Keep a reference to it, so that you can advance the
    ///     clock. Default: a new clock.
    ///   - context: Fakes for use cases, and observers such as a ``ManualNetworkObserver``. Default: an empty context.
    ///   - configuration: Settings for the client. Settings for observers of the system and for default triggers are ignored.
    public static func test(
        clock: ManualClock = ManualClock(),
        context: QueryContext = QueryContext(),
        configuration: Configuration = .isolated
    ) -> QueryClient {
        var context = context
        context.clock = clock
        return QueryClient(context: context, configuration: configuration.isolated)
    }
}
