#if Postgres
/// Follows a transaction: it adds statements of its own and gets their results.
///
/// Its members are called on the task of the transaction, one after the other.
protocol TransactionTracker: AnyObject, Sendable {
    /// A statement without values that follows BEGIN in the same round trip.
    var opening: String? { get }
    /// A statement without values that follows each statement of the closure in the same round trip.
    var companion: String? { get }
    /// A statement without values that precedes COMMIT in the same round trip.
    var closing: String? { get }

    /// Called before the transaction begins.
    func willBegin() async
    /// The transaction has begun, with the result of ``opening``. Not called if the closure runs no statement.
    func didBegin(_ result: PostgresResult?) throws
    /// A statement has succeeded, with the result of ``companion``.
    func didRun(_ sql: SQL, _ companion: PostgresResult?)
    /// A statement has failed, or the transaction could not begin: what was read is unknown.
    func didFail()
    /// Called before the result of COMMIT is known, with the result of ``closing``.
    func willCommit(_ closing: PostgresResult?)
    /// The transaction has ended. Called once, and last.
    func didEnd(_ outcome: TransactionOutcome)
}

extension TransactionTracker {
    func willBegin() async {}
}

/// How a transaction has ended.
enum TransactionOutcome: Sendable {
    case committed
    case rolledBack
    /// The connection was lost during the commit.
    case unknown
}
#endif
