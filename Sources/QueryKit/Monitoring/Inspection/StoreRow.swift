/// A store at one moment, for comparison. While the fingerprint stays the same, only those parts of the ``StoreRow`` change that depend on
/// the time.
package struct StoreMark: Hashable, Sendable {
    /// Identifies the store among those of its client, as long as it exists.
    package let id: Int
    package let fingerprint: Int
}

/// The description of one store for a list, as its observers see it.
package struct StoreRow: Hashable, Sendable {
    /// Whether there is a result.
    package enum Status: String, Sendable {
        case idle, loading, success, failure
    }

    /// A Boolean property of a store.
    package enum Flag: String, CaseIterable, Sendable {
        case fetching, paused, stale, invalidated, placeholder, optimistic, simulated, disabled
    }

    package let id: Int
    /// The elements of the path, as text, and the whole path.
    package let elements: [String]
    package let path: String
    /// The name of the type of request, inside its module.
    package let type: String
    package let isMutation: Bool
    package let status: Status
    /// In the order of `Flag.allCases`.
    package let flags: [Flag]
    package let subscribers: Int
    /// How many callers wait for a run.
    package let waiters: Int
    /// When the value was fetched, yielded or written; `nil` if it never was.
    package let updatedAt: QueryInstant?
    /// How long the value counts as fresh for the latest observer or caller; `nil` if it never ages.
    package let ttl: Duration?
    /// How many runs have begun, and how many results since the last reset were failures.
    package let runs: Int
    package let failures: Int
    package let byteCount: Int
    package let cause: String
    /// The number of the change that led to the state, if it is known; see ``QueryOrigin/number``.
    package let origin: Int?
    /// The code or the type of the error, if the latest result is a failure.
    package let error: String?
}
