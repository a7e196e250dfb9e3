/// What a request asks of the ledger. Immutable, and made once for equal requests with the same modifiers. Closures of the app are in
/// ``app``, and are called only outside the lock.
final class Settings: Sendable {
    /// The session in which they were made. In a later one they don't count, and are made again.
    let session: UInt32
    let ttl: Nanoseconds
    let retention: Nanoseconds?
    let timeout: Nanoseconds?
    let networkMode: QueryNetworkMode
    let abandonment: QueryAbandonment
    let tags: Set<QueryTag>
    let isConsistent: Bool
    let notifiesEqual: Bool
    let isDeduplicated: Bool
    let triggers: [QueryTrigger]
    /// Whether conditions decide if the library may start a run.
    let isConditional: Bool
    /// Whether the request delivers elements as long as it is observed.
    let isStream: Bool
    /// The request and its context, with all closures; `nil` in tests of the ledger.
    let app: App?
    let modifiers: Modifiers
    /// The part that an entry keeps for later; `nil` if that is all of it.
    private let rest: Settings?

    struct App: Sendable {
        let request: any QueryRequest
        /// The context of the session with defaults, setup and modifiers applied.
        let context: QueryContext
    }

    /// How equal settings are recognized before they are made.
    enum Modifiers: Sendable {
        /// There are closures among them, which can't be compared.
        case opaque
        /// None: the request has this type.
        case none(ObjectIdentifier)
        case comparable(SettingAdjustment.Kept)
    }

    /// The settings without handlers, computed tags and the closure of an inline request: those end with their last user.
    var kept: Settings { rest ?? self }

    init(
        session: UInt32 = 1,
        ttl: Nanoseconds = .zero,
        retention: Nanoseconds? = nil,
        timeout: Nanoseconds? = nil,
        networkMode: QueryNetworkMode = .offlineFirst,
        abandonment: QueryAbandonment = .cancel,
        tags: Set<QueryTag> = [],
        triggers: [QueryTrigger] = [],
        isConsistent: Bool = false,
        notifiesEqual: Bool = false,
        isDeduplicated: Bool = true,
        isConditional: Bool = false,
        isStream: Bool = false,
        app: App? = nil,
        modifiers: Modifiers = .opaque,
        rest: Settings? = nil
    ) {
        (self.session, self.app, self.modifiers, self.rest) = (session, app, modifiers, rest)
        (self.ttl, self.retention, self.timeout) = (ttl, retention, timeout)
        (self.networkMode, self.abandonment, self.tags) = (networkMode, abandonment, tags)
        (self.isConsistent, self.notifiesEqual, self.isDeduplicated) = (isConsistent, notifiesEqual, isDeduplicated)
        (self.isConditional, self.isStream, self.triggers) = (isConditional, isStream, triggers)
    }
}
