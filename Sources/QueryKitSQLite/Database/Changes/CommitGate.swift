import Dispatch
import QueryKit

/// Numbers the commits of calls with layers, so that a read can determine which of them its snapshot includes.
///
/// While such a commit is in progress, a snapshot may or may not include it. So taking a snapshot waits for the end of the commit.
final class CommitGate: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Lock(State())
    /// Twice the number of commits that have begun, plus one while the last of them is in progress. Each read needs it, and shouldn't wait
    /// for a lock.
    private let progress = Gauge()

    /// Begins a commit. Only one can be in progress.
    func begin() -> UInt64 {
        state.withLock { state in
            state.begun += 1
            progress.set(state.begun * 2 + 1)
            return state.begun
        }
    }

    /// Ends the commit after its success or failure.
    func end() {
        let waiting = state.withLock { state in
            state.ended = state.begun
            progress.set(state.begun * 2)
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.signal() }
    }

    /// The last commit that a snapshot taken from now on includes. Waits while a commit is in progress, so call it on a connection's
    /// thread.
    func settled() -> UInt64 {
        if let settledNow { return settledNow }
        while true {
            let (ended, end) = state.withLock { state -> (UInt64, DispatchSemaphore?) in
                if state.begun == state.ended { return (state.ended, nil) }
                let end = DispatchSemaphore(value: 0)
                state.waiting.append(end)
                return (state.ended, end)
            }
            guard let end else { return ended }
            end.wait()
        }
    }

    /// The same without waiting; `nil` while a commit is in progress.
    var settledNow: UInt64? {
        let progress = progress.value
        return progress.isMultiple(of: 2) ? progress / 2 : nil
    }

    /// The last commit that an existing snapshot may include.
    var latest: UInt64 { progress.value / 2 }

    /// Whether a read is waiting for a commit.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }
}
