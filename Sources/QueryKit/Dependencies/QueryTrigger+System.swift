extension QueryTrigger {
    /// Fires when the app is active again; see ``ActivityObserver``.
    public static let appActive = QueryTrigger("app active") { context, fire in
        context.activityObserver?.observe { if $0 { fire() } } ?? QuerySubscription {}
    }

    /// Fires when the system is short of memory; see ``MemoryPressureSource``. For what can be smaller than it is; the client
    /// itself lets go of what nobody uses.
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
