/// The settings that modifiers and client defaults leave in a context, in one place and without boxes.
struct QuerySettings: Sendable {
    private(set) var ttl = Duration.zero { didSet { span = Nanoseconds(ttl) } }
    /// The same in nanoseconds, to be compared with ages.
    private(set) var span = Nanoseconds.zero
    /// A closure that says how long a value counts as fresh, in place of the duration: the request knows its type, the settings do not.
    private(set) var ttlRule: (any Sendable)?
    /// Whether the value is fresh until something changes that it was read from.
    private(set) var isFreshUntilChanged = false
    /// `nil` for the client's default.
    var retention: Duration?
    var retry = QueryRetry()
    var timeout: Duration?
    var recovery = QueryRecovery.standard
    var authorization: (@Sendable (any Error, QueryContext) async -> Bool)?
    var abandonment = QueryAbandonment.cancel
    var networkMode = QueryNetworkMode.offlineFirst
    var tags: [QueryTag] = []
    var triggers: [QueryTrigger] = []
    /// The requests whose values this one depends on.
    var dependencies: [any QueryRequest] = []
    /// A closure that computes the tags of a value: the request knows its type, the settings do not.
    var computedTags: (any Sendable)?
    var repair: (@Sendable (any Error, QueryContext) async -> Bool)?
    var keepsPrevious = false
    var isDeduplicated = true
    var notifiesEqual = false
    /// Whether those who observe want to see the request at one moment with others.
    var isConsistent = false
    /// Whether the request may hold a closure, which a store must not keep.
    var isInline = false
    var conditions: [@Sendable (QueryContext) -> Bool] = []
    /// A closure that makes the value: the request knows its type, the settings do not.
    var placeholder: (any Sendable)?
    var persistence: QueryPersistence?
    /// Handlers of type ``QueryEventHandler`` for the state of the request.
    var handlers: [any Sendable] = []
    /// How many calls of a mutation that have ended its state keeps.
    var historyLength = 20

    mutating func setTTL(_ duration: Duration, untilChanged: Bool = false) {
        (ttl, ttlRule, isFreshUntilChanged) = (duration, nil, untilChanged)
    }

    mutating func setTTL(rule: any Sendable) { (ttlRule, isFreshUntilChanged) = (rule, false) }
}

/// What each run asks of its settings: found out once for all stores that share them.
struct SettingTraits: Sendable {
    let networkMode: QueryNetworkMode
    let isDeduplicated: Bool
    /// Whether values are fresh for the same time, whatever they are.
    let hasFixedTTL: Bool
    let isFreshUntilChanged: Bool
    /// Whether the library may start a run without asking a condition.
    let isUnconditional: Bool
    /// Whether a store goes on knowing some of it: caches, handlers, tags.
    let isRemembered: Bool
    /// Whether making a handle with these settings changes the store or the client: retention, caches, handlers, tags, the previous value.
    let isMentioned: Bool
    /// Whether the request may hold a closure, which a store must not keep.
    let isInline: Bool
    /// What happens to a run when its last caller and observer leave.
    let abandonment: QueryAbandonment
    let hasTriggers: Bool
    /// Whether a caller with these settings wants nothing of a store but its value; see ``StoreCore/beginAlone(_:_:)``.
    let isPlain: Bool

    init(_ settings: QuerySettings) {
        networkMode = settings.networkMode
        isDeduplicated = settings.isDeduplicated
        hasFixedTTL = settings.ttlRule == nil
        isFreshUntilChanged = settings.isFreshUntilChanged
        isUnconditional = settings.conditions.isEmpty
        isRemembered =
            settings.persistence != nil || !settings.handlers.isEmpty || !settings.tags.isEmpty || settings.computedTags != nil
        isMentioned = isRemembered || settings.retention != nil || settings.keepsPrevious
        abandonment = settings.abandonment
        hasTriggers = !settings.triggers.isEmpty
        isInline = settings.isInline
        isPlain = !isRemembered && !isInline && isDeduplicated && settings.retention == nil && hasFixedTTL && networkMode != .online
    }
}

/// What becomes of a run when the last of its waiters and subscribers has left.
public enum QueryAbandonment: Sendable {
    /// The run is cancelled, and the state goes back to what it was.
    case cancel

    /// The run goes on, and its result is cached.
    case finish
}

extension QueryContext {
    /// How long a value counts as fresh. Default: zero, so that each new subscriber brings a refresh. Negative means zero.
    ///
    /// Setting it takes the place of a closure that `ttl(_:)` was given.
    public var ttl: Duration {
        get { settings.ttl }
        set { adjust(.ttl(max(newValue, .zero))) }
    }

    /// How long an unused store is kept. Default: `nil`, five minutes or what the client's configuration says.
    public var retention: Duration? {
        get { settings.retention }
        set { if let newValue { adjust(.retention(max(newValue, .zero))) } else { settings.retention = nil } }
    }

    /// How failed attempts are repeated. Default: see ``QueryRetry``.
    public var retry: QueryRetry {
        get { settings.retry }
        set { settings.retry = newValue }
    }

    /// How long one attempt may take. Default: `nil`, for ever.
    public var timeout: Duration? {
        get { settings.timeout }
        set { settings.timeout = newValue }
    }

    /// What to do about an error. Default: ``QueryRecovery/standard``.
    public var recovery: QueryRecovery {
        get { settings.recovery }
        set { settings.recovery = newValue }
    }

    /// Asks for the permission that an attempt lacked; `true` when it was granted, and the attempt is worth another try.
    ///
    /// Called at most once a run, after a ``QueryError`` with the code `insufficientPermissions`. Default: `nil`.
    public var authorization: (@Sendable (any Error, QueryContext) async -> Bool)? {
        get { settings.authorization }
        set { settings.authorization = newValue }
    }

    /// Repairs a data source that an attempt found damaged; `true` when the attempt is worth another try.
    ///
    /// Called at most once a run, after a ``QueryError`` with the code `databaseCorruption`. A source puts the damaged file aside, saves what
    /// can be saved, or goes on in memory. Default: `nil`.
    public var repair: (@Sendable (any Error, QueryContext) async -> Bool)? {
        get { settings.repair }
        set { settings.repair = newValue }
    }

    /// How many calls of a mutation that have ended are kept in its ``MutationState/history``. Default: 20. Negative means zero.
    public var historyLength: Int {
        get { settings.historyLength }
        set { settings.historyLength = max(newValue, 0) }
    }

    /// What happens to a run when its last caller and observer have left. Default: it is cancelled.
    public var abandonment: QueryAbandonment {
        get { settings.abandonment }
        set { settings.abandonment = newValue }
    }
}
