import Foundation

/// Checks whether the calendar day has changed: at midnight, when the clock is set, when the user travels to another time zone, and when
/// the app becomes active.
final class DayWatch: Sendable {
    private struct State {
        var isOver = false
        /// The day at the latest check.
        var day: DateComponents?
        /// The number of the latest check. If checks overlap, only the latest keeps its alarm.
        var round = 0
        var alarm: QueryAlarm?
        var subscriptions: [QuerySubscription] = []
    }

    private let context: QueryContext
    private let schedule: QueryTrigger.Schedule
    private let action: @Sendable () -> Void
    private let state = Lock(State())

    private init(_ context: QueryContext, _ schedule: @escaping QueryTrigger.Schedule, _ action: @escaping @Sendable () -> Void) {
        self.context = context
        self.schedule = schedule
        self.action = action
    }

    /// Starts watching, and calls `action` at each change of the day. The subscription owns the watch.
    @Sendable static func start(
        _ context: QueryContext,
        _ schedule: @escaping QueryTrigger.Schedule,
        _ action: @escaping @Sendable () -> Void
    ) -> QuerySubscription {
        let watch = DayWatch(context, schedule, action)
        let subscriptions = [
            context.clock.observeJumps { [weak watch] in watch?.look() },
            context.timeZoneObserver?.observe { [weak watch] _ in watch?.look() },
            context.activityObserver?.observe { [weak watch] in if $0 { watch?.look() } },
        ].compactMap(\.self)
        watch.state.withLock { $0.subscriptions = subscriptions }
        watch.look()
        return QuerySubscription { watch.end() }
    }

    private func look() {
        let (date, calendar) = (context.clock.date, context.calendar)
        let day = calendar.dateComponents([.era, .year, .month, .day], from: date)
        let (round, isOther, obsolete) = state.withLock { state -> (Int?, Bool, QueryAlarm?) in
            if state.isOver { return (nil, false, nil) }
            let isOther = state.day != nil && state.day != day
            state.round += 1
            state.day = day
            defer { state.alarm = nil }
            return (state.round, isOther, state.alarm)
        }
        obsolete?.cancel()
        guard let round else { return }
        let deadline = context.clock.now.advanced(by: Self.rest(of: date, in: calendar))
        let alarm = schedule(deadline) { [weak self] in self?.look() }
        let isTooLate = state.withLock { state in
            if state.round == round, !state.isOver { state.alarm = alarm }
            return state.round != round || state.isOver
        }
        if isTooLate { alarm.cancel() }
        if isOther { action() }
    }

    /// The time from a date to the end of its day. It is rounded up, because an alarm that fires just before midnight would still see the
    /// old day.
    static func rest(of date: Date, in calendar: Calendar) -> Duration {
        // If the calendar doesn't return an end of the day, check again after an hour.
        let rest = calendar.dateInterval(of: .day, for: date)?.end.timeIntervalSince(date) ?? 0
        return rest > 0 ? max(.microseconds((rest * 1_000_000).rounded(.up)), .milliseconds(1)) : .seconds(3600)
    }

    private func end() {
        let (alarm, subscriptions) = state.withLock { state in
            state.isOver = true
            defer {
                state.alarm = nil
                state.subscriptions = []
            }
            return (state.alarm, state.subscriptions)
        }
        alarm?.cancel()
        for subscription in subscriptions { subscription.cancel() }
    }
}
