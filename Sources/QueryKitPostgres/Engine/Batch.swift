#if Postgres
import QueryKit
import QueryKitSQL

/// One statement of a batch.
enum Request: Sendable {
    /// A text without values. It is prepared, because the same few texts are sent again and again.
    case text(String)
    /// A statement with its encoded values.
    case statement(SQL, Parameters)
    /// A text that is sent once, without preparing it.
    case once(String)
    /// A text of several statements, separated by semicolons. It must be the only request of its batch.
    case script(String)

    /// Whether it may take long. The statements of the library, which are texts, don't.
    var isOfCaller: Bool { if case .text = self { false } else { true } }
}

/// Effects of changes that several threads make. They are performed in the order of the changes, by one thread at a time.
struct EffectQueue<Effect: Sendable> {
    private var waiting: [Effect] = []
    private var isPerforming = false

    /// Adds the effects of a change. Returns the effects to perform; none if another thread performs these effects after its own.
    mutating func begin(_ effects: [Effect]) -> [Effect] {
        if effects.isEmpty { return [] }
        if isPerforming {
            waiting += effects
            return []
        }
        isPerforming = true
        return effects
    }

    /// The effects to perform after the previous ones; none if that is all.
    mutating func next() -> [Effect] {
        defer { waiting = [] }
        isPerforming = !waiting.isEmpty
        return waiting
    }
}

/// How a batch has ended.
struct BatchOutcome: Sendable {
    /// The results of the requests that succeeded, in order.
    var results: [PostgresResult] = []
    /// The error of the request after them.
    var error: PostgresError?
    /// Whether the connection was lost.
    var isLost = false
    /// Whether the server may have received the requests.
    var wasSent = true
    /// The state of the transaction afterwards.
    var transaction = TransactionPhase.none
}

/// The state of a connection's transaction on the server.
enum TransactionPhase: Sendable {
    case none, open, failed
}

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
