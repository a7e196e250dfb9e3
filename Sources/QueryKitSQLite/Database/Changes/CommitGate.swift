import Dispatch
import QueryKit

/// Numbers the commits of calls with layers, so that a read can tell which of them it sees.
///
/// While such a commit is in progress, a snapshot may hold it or not. So taking a snapshot waits until the commit is over.
final class CommitGate: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var ended: UInt64 = 0
        var waiting: [DispatchSemaphore] = []
    }

    private let state = Lock(State())
    /// Twice the number of commits that have begun, and one more while the last of them is in progress: each read asks for it, and should wait for no lock.
    private let progress = Gauge()

    /// A commit begins. There is one at a time.
    func begin() -> UInt64 {
        state.withLock { state in
            state.begun += 1
            progress.set(state.begun * 2 + 1)
            return state.begun
        }
    }

    /// It is done, or has failed.
    func end() {
        let waiting = state.withLock { state in
            state.ended = state.begun
            progress.set(state.begun * 2)
            defer { state.waiting = [] }
            return state.waiting
        }
        for reader in waiting { reader.signal() }
    }

    /// The last commit that a snapshot taken from now on sees. Waits while one is in progress, so call it on the thread of a connection.
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

    /// The last commit that a snapshot taken before may see.
    var latest: UInt64 { progress.value / 2 }

    /// Whether a read waits for a commit.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }
}
