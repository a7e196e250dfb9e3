public import Foundation

/// A test clock that advances only when you call ``advance(by:)``.
///
/// Before ``advance(by:)`` returns, it calls the alarms that have become due, in the order of their deadlines. The work that they start
/// ends a little later: call `await client.settled()` to wait for it. The same applies to a fetch that slept on the clock.
public final class ManualClock: QueryClock {
    private struct State {
        var now = QueryInstant.zero
        /// The wall-clock date at zero, adjusted each time the wall clock is set.
        var start: Date
        var nextAlarm = 0
        var alarms = DeadlineQueue<Int>()
        var actions: [Int: @Sendable () -> Void] = [:]
        var watchers: [(count: Int, promise: Promise<Void>)] = []

        var date: Date { start + QueryInstant.zero.duration(to: now).seconds }
    }

    private let state: Lock<State>
    private let jumps = Listeners(0)

    /// Creates a clock at zero, with a wall-clock date.
    public init(date: Date = Date(timeIntervalSince1970: 1_000_000_000)) {
        state = Lock(State(start: date))
    }

    public var now: QueryInstant { state.withLock { $0.now } }

    public var date: Date { state.withLock { $0.date } }

    /// The number of alarms that are set: one for each sleeping task, and one timer for each client that has a deadline.
    public var alarmCount: Int { state.withLock { $0.actions.count } }

    public func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        let (alarm, isDue, watchers) = state.withLock { state -> (Int, Bool, [Promise<Void>]) in
            let alarm = state.nextAlarm
            state.nextAlarm += 1
            if deadline <= state.now { return (alarm, true, []) }
            state.alarms.insert(alarm, at: deadline)
            state.actions[alarm] = action
            let count = state.actions.count
            let ready = state.watchers.filter { $0.count <= count }.map(\.promise)
            state.watchers.removeAll { $0.count <= count }
            return (alarm, false, ready)
        }
        for watcher in watchers { watcher.resolve(.success(())) }
        if isDue { action() }
        return QueryAlarm { [weak self] in
            _ = self?.state.withLock { $0.actions.removeValue(forKey: alarm) }
        }
    }

    /// Moves the monotonic time and the wall clock forward. A negative duration only moves the wall clock back, because monotonic time
    /// never goes back.
    public func advance(by duration: Duration) {
        let target = state.withLock { state in
            if duration < .zero { state.start += duration.seconds }
            return state.now.advanced(by: max(duration, .zero))
        }
        if duration < .zero { jumps.send(0) }
        while let action = nextAction(dueBy: target) { action() }
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Sets only the wall clock, as a user does in the system's settings. Observers of jumps are notified before the call returns.
    public func setDate(_ date: Date) {
        state.withLock { $0.start += date.timeIntervalSince($0.date) }
        jumps.send(0)
    }

    public func observeJumps(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription { jumps.add { _ in handler() } }

    /// Waits until at least `count` alarms are set, so that a test can advance the clock once the tested code sleeps on it.
    public func alarms(atLeast count: Int) async throws {
        let promise = Promise<Void>()
        let isReady = state.withLock { state in
            if state.actions.count >= count { return true }
            state.watchers.append((count, promise))
            return false
        }
        if !isReady { try await promise.get() }
    }

    private func nextAction(dueBy target: QueryInstant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            while let (deadline, alarm) = state.alarms.popDue(at: target) {
                guard let action = state.actions.removeValue(forKey: alarm) else { continue }
                state.now = max(state.now, deadline)
                return action
            }
            return nil
        }
    }
}

extension Duration {
    /// The duration in seconds, as a Foundation `TimeInterval`.
    var seconds: TimeInterval {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
