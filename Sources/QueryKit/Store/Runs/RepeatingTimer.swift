/// A timer that fires at each multiple of an interval on the clock. Timers with equal intervals fire together and share one alarm.
final class RepeatingTimer: Sendable {
    private struct State {
        var isOver = false
        var alarm: QueryAlarm?
    }

    private let interval: Int64
    private let clock: any QueryClock
    private let host: any StoreHost
    private let action: @Sendable () -> Void
    private let state = Lock(State())

    private init(_ interval: Duration, _ clock: any QueryClock, _ host: any StoreHost, _ action: @escaping @Sendable () -> Void) {
        self.interval = interval.saturatedNanoseconds
        self.clock = clock
        self.host = host
        self.action = action
    }

    /// Starts a timer, which the subscription owns. With an interval of zero or less it never fires.
    static func start(
        _ interval: Duration,
        on clock: any QueryClock,
        of host: any StoreHost,
        _ action: @escaping @Sendable () -> Void
    ) -> QuerySubscription {
        let timer = RepeatingTimer(interval, clock, host, action)
        timer.arm()
        return QuerySubscription { timer.end() }
    }

    private func arm() {
        guard interval > 0 else { return }
        // Read the clock only once: it advances between two reads, and timers with equal intervals would fire a moment apart.
        let now = clock.now
        let elapsed = now.nanoseconds % interval
        let deadline = now.advanced(by: .nanoseconds(interval - (elapsed < 0 ? elapsed + interval : elapsed)))
        let alarm = host.schedule(at: deadline, on: clock) { [weak self] in self?.fire() }
        let isTooLate = state.withLock { state in
            if !state.isOver { state.alarm = alarm }
            return state.isOver
        }
        if isTooLate { alarm.cancel() }
    }

    private func fire() {
        guard !state.withLock({ $0.isOver }) else { return }
        arm()
        action()
    }

    private func end() {
        let alarm = state.withLock { state in
            state.isOver = true
            defer { state.alarm = nil }
            return state.alarm
        }
        alarm?.cancel()
    }
}
