#if Postgres
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
}

/// How a batch has ended.
struct BatchOutcome: Sendable {
    /// The results of the requests that succeeded, in order.
    var results: [PostgresResult] = []
    /// The error of the request after them.
    var error: PostgresError?
    /// Whether the connection was lost.
    var isLost = false
    /// The state of the transaction afterwards.
    var transaction = TransactionPhase.none
}

/// The state of a connection's transaction on the server.
enum TransactionPhase: Sendable {
    case none, open, failed
}
#endif
