extension QueryClient {
    /// Creates a client that follows the system: network, app activity, memory pressure and calendar.
    ///
    /// ```swift
    /// let client = QueryClient()
    /// ```
    ///
    /// What the client takes from the system, and the property of ``Configuration`` that turns it off:
    ///
    /// | by default | turned off by | uses |
    /// |---|---|---|
    /// | runs wait for the network, see ``QueryNetworkMode`` | ``Configuration/observesNetwork`` | ``QueryContext/networkObserver`` |
    /// | knows whether the app is active | ``Configuration/observesActivity`` | ``QueryContext/activityObserver`` |
    /// | releases stores that are not in use when memory is short | ``Configuration/observesMemoryPressure`` | ``QueryContext/memoryPressureSource`` |
    /// | follows the user's time zone | ``Configuration/observesCalendar`` | ``QueryContext/timeZoneObserver`` |
    /// | stale, observed queries refetch when the app becomes active | ``Configuration/refetchesWhenActive`` | ``QueryContext/activityObserver`` |
    /// | stale, observed queries refetch when the network is back | ``Configuration/refetchesOnReconnect`` | ``QueryContext/networkObserver`` |
    ///
    /// ``Configuration/isolated`` turns off all of it. An observer that the context already has is used in place of the system's.
    ///
    /// - Parameters:
    ///   - context: What the runs of all requests find around them: use cases, clock, calendar. Default: an empty one.
    ///   - configuration: Retention, budgets, the defaults above, and settings for many requests at once. Default: see ``Configuration``.
    public convenience init(context: QueryContext = QueryContext(), configuration: Configuration = Configuration()) {
        self.init(completed: context.completed(by: configuration), configuration)
    }

    /// Creates a client for a test: isolated from the system, and with a clock that stands still.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// let client = QueryClient.test(clock: clock)
    /// clock.advance(by: .seconds(60))
    /// await client.settled()
    /// ```
    ///
    /// - Parameters:
    ///   - clock: The clock by which the client lives, in place of that of the context. Keep it to move it. Default: a new one.
    ///   - context: Fakes for use cases, and observers such as a ``ManualNetworkObserver``. Default: an empty one.
    ///   - configuration: Settings for the client, of which only those about the system and the default triggers are ignored.
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
