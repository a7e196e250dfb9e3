import Foundation
import QueryKitTesting
import TestSupport

@testable import QueryKit

/// The clock of a process that the system may suspend: while it is paused, it fires no alarm. Time advances as for all processes.
final class PausingClock: QueryClock {
    private struct State {
        var isPaused = false
        var missed: [@Sendable () -> Void] = []
    }

    private let base: ManualClock
    private let state = Lock(State())

    init(_ base: ManualClock) { self.base = base }

    var now: QueryInstant { base.now }
    var date: Date { base.date }

    func schedule(at deadline: QueryInstant, _ action: @escaping @Sendable () -> Void) -> QueryAlarm {
        base.schedule(at: deadline) { [state] in
            let mayCall = state.withLock { state in
                if state.isPaused { state.missed.append(action) }
                return !state.isPaused
            }
            if mayCall { action() }
        }
    }

    func set(isPaused: Bool) {
        let missed = state.withLock { state in
            state.isPaused = isPaused
            guard !isPaused else { return [@Sendable () -> Void]() }
            defer { state.missed = [] }
            return state.missed
        }
        for action in missed { action() }
    }
}
