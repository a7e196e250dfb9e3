#if Postgres
import Dispatch
import QueryKit

/// Numbers the commits of calls with layers, so that a read can determine which of them its snapshot includes.
///
/// Several commits can be in progress at once, on different connections. A snapshot includes all commits that ended before it was taken,
/// and none that began after. It may or may not include those in progress, so a read waits for them before it takes its snapshot.
final class CommitGate: Sendable {
    /// How long a read waits at most. A commit may take longer, such as one that waits for a replica.
    private static let patience = Duration.seconds(1)

    private struct Waiter {
        /// The last commit that has to end.
        let last: UInt64
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var begun: UInt64 = 0
        var open: Set<UInt64> = []
        var waiters: [UInt64: Waiter] = [:]
        var nextID: UInt64 = 0

        var settled: UInt64 { (open.min() ?? begun + 1) - 1 }

        mutating func takeWaiters() -> [Waiter] {
            let settled = settled
            let ready = waiters.filter { $0.value.last <= settled }
            for id in ready.keys { waiters[id] = nil }
            return Array(ready.values)
        }
    }

    private let state = Lock(State())

    /// Begins a commit. Call this before the commit can be read.
    func begin() -> UInt64 {
        state.withLock { state in
            state.begun += 1
            state.open.insert(state.begun)
            return state.begun
        }
    }

    /// Ends a commit after its success or failure.
    func end(_ number: UInt64) {
        let ready = state.withLock { state in
            state.open.remove(number)
            return state.takeWaiters()
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits until the commits in progress have ended, but not for those that begin in the meantime.
    func wait() async {
        if state.withLock({ $0.open.isEmpty }) { return }
        await withCheckedContinuation { continuation in
            let id = state.withLock { state -> UInt64? in
                if state.open.isEmpty { return nil }
                state.nextID += 1
                state.waiters[state.nextID] = Waiter(last: state.begun, continuation: continuation)
                return state.nextID
            }
            guard let id else { return continuation.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience.dispatchInterval) { [self] in
                state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
            }
        }
    }

    /// The last commit that a snapshot taken from now on is certain to include, with all commits before it.
    var settled: UInt64 { state.withLock { $0.settled } }

    /// The last commit that an existing snapshot may include.
    var latest: UInt64 { state.withLock { $0.begun } }
}
#endif
