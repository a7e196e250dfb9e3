#if Postgres
public import QueryKit

/// How a request handles a database error (R26): it requests permission, retries transient errors, and fails with all others.
extension PostgresError: QueryErrorConvertible {
    public var queryError: QueryError? {
        let kind: QueryError.Code? =
            switch code {
            case .unavailable: .networkUnavailable
            case .authentication, .permission: .insufficientPermissions
            case .timeout: .timeout
            case .constraint, .undefinedTable, .undefinedColumn, .undefinedFunction, .syntax, .invalidValue, .mismatch, .range, .limit,
                .failedTransaction, .misuse, .closed, .newerSchema, .migration, .tls, .unknownDatabase, .raised:
                .invalidParameters
            default: nil
            }
        return kind.map { QueryError($0, message, underlying: self) }
    }

    /// `true` for errors that a missing network may cause, because the server may be on another machine.
    public var dependsOnNetwork: Bool { code == .unavailable || code == .timeout || code == .outcomeUnknown }
}
#endif
