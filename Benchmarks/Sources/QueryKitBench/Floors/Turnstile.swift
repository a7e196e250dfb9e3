/// Holds one task back until a number of others have arrived. Can be reused.
final class Turnstile: Sendable {
    private struct State {
        var missing = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Guarded(State())

    /// Closes the turnstile until `count` callers have arrived.
    func expect(_ count: Int) {
        state.withLock { $0.missing = count }
    }

    func arrive() {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.missing -= 1
            guard state.missing == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.missing > 0 { state.waiter = continuation }
                return state.missing <= 0
            }
            if isOpen { continuation.resume() }
        }
    }
}
