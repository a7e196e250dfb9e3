extension QueryTrigger {
    /// Fires when the app is active again; see ``ActivityObserver``. A client does this for all observed requests by default; see
    /// ``QueryClient/Configuration/refetchesWhenActive``.
    public static let appActive = QueryTrigger("app active", .appActive)

    /// Fires when the system is short of memory; see ``MemoryPressureSource``. Use it for requests that can fetch less then; the client
    /// itself releases what is not in use.
    public static let memoryPressure = QueryTrigger("memory pressure") { context, fire in
        context.memoryPressureSource?.observe { _ in fire() } ?? QuerySubscription {}
    }

    /// Fires when the user is in another time zone; see ``TimeZoneObserver``.
    public static let timeZoneChange = QueryTrigger("time zone change") { context, fire in
        context.timeZoneObserver?.observe { _ in fire() } ?? QuerySubscription {}
    }

    /// Fires when another day begins, by the calendar and the time zone of the context.
    ///
    /// That is at midnight, and also when the user sets the clock or travels so that the calendar shows another day, before or after.
    ///
    /// ```swift
    /// let subscription = client.invalidate("food/**", on: .dayChange)
    /// ```
    public static let dayChange = QueryTrigger("day change", clocked: DayWatch.start)
}
