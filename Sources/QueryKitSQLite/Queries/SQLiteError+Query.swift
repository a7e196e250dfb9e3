public import QueryKit

/// How a request handles a database error (R26): it recovers from damage, requests permission, retries transient errors, and fails with all
/// others.
extension SQLiteError: QueryErrorConvertible {
    public var queryError: QueryError? {
        let kind: QueryError.Code? =
            switch code {
            case .corrupt, .notADatabase: .databaseCorruption
            case .permission, .readOnly, .cannotOpen: .insufficientPermissions
            case .busy, .locked: .timeout
            case .constraint, .mismatch, .misuse, .range, .tooBig, .notAuthorized, .invalidValue, .error, .closed, .newerSchema, .migration,
                .setting, .noRow:
                .invalidParameters
            // After `reopen()`, a moved file works again.
            default: nil
            }
        return kind.map { QueryError($0, message, underlying: self) }
    }

    /// Always `false`: a database is on the device, so an error such as a full disk doesn't depend on the network.
    public var dependsOnNetwork: Bool { false }
}
