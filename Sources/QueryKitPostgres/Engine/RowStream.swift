#if Postgres
import QueryKit

/// The rows of a statement, in the order in which they arrive, for one consumer.
///
/// The connection stops reading while the consumer is behind, so memory is bounded for any number of rows.
final class RowStream: Sendable {
    private struct State {
        var rows: [PostgresResult] = []
        var outcome: BatchOutcome?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    func deliver(_ rows: [PostgresResult]) {
        let waiter = state.withLock { state in
            state.rows += rows
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    func end(_ outcome: BatchOutcome) {
        let waiter = state.withLock { state in
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// The rows that have arrived; empty after the last one.
    func next() async -> [PostgresResult] {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.outcome != nil || !state.rows.isEmpty { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            defer { state.rows = [] }
            return state.rows
        }
    }

    /// How the batch has ended, after the last row.
    var outcome: BatchOutcome { state.withLock { $0.outcome } ?? BatchOutcome() }
}
#endif
