import Foundation

/// The times at which values arrived.
final class Arrivals: Sendable {
    private struct State {
        var latest: (value: String, time: ContinuousClock.Instant, wall: Double)?
        var waiter: (value: String, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Guarded(State())

    func note(_ value: String?) {
        guard let value else { return }
        let arrival = (value, ContinuousClock().now, Date().timeIntervalSince1970)
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.latest = arrival
            guard state.waiter?.value == value else { return nil }
            defer { state.waiter = nil }
            return state.waiter?.continuation
        }
        waiter?.resume()
    }

    private func arrived(_ value: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.latest?.value == value { return true }
                state.waiter = (value, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func time(of value: String) async -> ContinuousClock.Instant {
        await arrived(value)
        return state.withLock { $0.latest?.time } ?? ContinuousClock().now
    }

    func wallTime(of value: String) async -> Double {
        await arrived(value)
        return state.withLock { $0.latest?.wall } ?? 0
    }
}
