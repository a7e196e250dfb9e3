#if Postgres
import QueryKit

/// Numbers the commits of calls with layers, so that a read can determine which of them its snapshot includes.
///
/// Several commits can be in progress at once, on different connections. A snapshot includes all commits that ended before it was taken,
/// and none that began after.
final class CommitGate: Sendable {
    private struct State {
        var begun: UInt64 = 0
        var open: Set<UInt64> = []
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
    func end(_ number: UInt64) { state.withLock { _ = $0.open.remove(number) } }

    /// The last commit that a snapshot taken from now on is certain to include, with all commits before it.
    var settled: UInt64 { state.withLock { ($0.open.min() ?? $0.begun + 1) - 1 } }

    /// The last commit that an existing snapshot may include.
    var latest: UInt64 { state.withLock { $0.begun } }
}
#endif
