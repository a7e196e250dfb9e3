public import QueryKit

/// What a request does about an error of the database (R26): it recovers from damage, asks for permission, tries again what may pass, and gives up on the rest.
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
            default: nil
            }
        return kind.map { QueryError($0, message, underlying: self) }
    }

    /// A database is on the device: a full disk stays full when the network is back.
    public var dependsOnNetwork: Bool { false }
}
