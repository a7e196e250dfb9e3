/// What a request asks of the ledger. Immutable, and made once for all requests with the same modifiers. Closures of the app are in
/// ``app``, and are called only outside the lock.
final class Settings: Sendable {
    let ttl: Nanoseconds
    let retention: Nanoseconds?
    let timeout: Nanoseconds?
    let networkMode: QueryNetworkMode
    let abandonment: QueryAbandonment
    let tags: Set<QueryTag>
    let isConsistent: Bool
    let notifiesEqual: Bool
    let isDeduplicated: Bool
    /// Whether conditions decide if the library may start a run.
    let isConditional: Bool
    /// The request and its context, with all closures; `nil` in tests of the ledger.
    let app: RequestSettings?

    init(
        ttl: Nanoseconds = .zero,
        retention: Nanoseconds? = nil,
        timeout: Nanoseconds? = nil,
        networkMode: QueryNetworkMode = .offlineFirst,
        abandonment: QueryAbandonment = .cancel,
        tags: Set<QueryTag> = [],
        isConsistent: Bool = false,
        notifiesEqual: Bool = false,
        isDeduplicated: Bool = true,
        isConditional: Bool = false,
        app: RequestSettings? = nil
    ) {
        (self.ttl, self.retention, self.timeout) = (ttl, retention, timeout)
        (self.networkMode, self.abandonment, self.tags) = (networkMode, abandonment, tags)
        (self.isConsistent, self.notifiesEqual, self.isDeduplicated) = (isConsistent, notifiesEqual, isDeduplicated)
        (self.isConditional, self.app) = (isConditional, app)
    }
}
