extension QueryTrigger {
    /// Fires when the app becomes active; see ``ActivityObserver``. By default, a client refetches all stale observed requests at that
    /// moment; see ``QueryClient/Configuration/refetchesWhenActive``.
    public static let appActive = QueryTrigger("app active", .appActive)

    /// Fires when the system is low on memory; see ``MemoryPressureSource``. Use it for requests that can fetch less in this case. The
    /// client itself releases unused stores.
    public static let memoryPressure = QueryTrigger("memory pressure") { context, fire in
        context.memoryPressureSource?.observe { _ in fire() } ?? QuerySubscription {}
    }

    /// Fires when the user's time zone changes; see ``TimeZoneObserver``.
    public static let timeZoneChange = QueryTrigger("time zone change") { context, fire in
        context.timeZoneObserver?.observe { _ in fire() } ?? QuerySubscription {}
    }

    /// Fires when the day changes, by the calendar and the time zone of the context.
    ///
    /// The day changes at midnight, and when the user sets the clock or travels to a time zone with another date.
    ///
    /// ```swift
    /// let subscription = client.invalidate("food/**", on: .dayChange)
    /// ```
    public static let dayChange = QueryTrigger("day change", clocked: DayWatch.start)
}
