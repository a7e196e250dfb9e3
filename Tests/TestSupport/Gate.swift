import QueryKit

/// A door inside a fetch: the fetch waits at it, the test sees that it arrived, and lets it through.
///
/// Waiting ends also when the fetch is cancelled, unless the gate is `stubborn`: then the fetch ignores its cancellation.
package final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    private let isStubborn: Bool

    package init(stubborn: Bool = false) { isStubborn = stubborn }

    /// How many fetches have come to the gate so far.
    package var arrivals: Int { state.withLock { $0.arrivals } }

    /// Waits until the gate is open; throws when the task is cancelled first.
    package func pass() async throws {
        let number = state.withLock { state in
            state.arrivals += 1
            return state.arrivals
        }
        if isStubborn {
            try await wait(number)
        } else {
            try await withTaskCancellationHandler {
                try await wait(number)
            } onCancel: {
                giveUp(number)
            }
        }
    }

    private func wait(_ number: Int) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (isDone, isCancelled) = state.withLock { state -> (Bool, Bool) in
                if state.isOpen { return (true, false) }
                if Task.isCancelled, !isStubborn { return (true, true) }
                state.waiting[number] = continuation
                return (false, false)
            }
            if isDone { isCancelled ? continuation.resume(throwing: CancellationError()) : continuation.resume() }
            announce()
        }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }

    private func announce() {
        let ready = state.withLock { state in
            let ready = state.watchers.filter { $0.count <= state.arrivals }.map(\.continuation)
            state.watchers.removeAll { $0.count <= state.arrivals }
            return ready
        }
        for watcher in ready { watcher.resume() }
    }

    /// Waits until `count` fetches have come to the gate.
    package func arrived(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.arrivals >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Lets all through, now and from now on.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Lets those through that wait now; later ones wait again.
    package func letThrough() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }
}
