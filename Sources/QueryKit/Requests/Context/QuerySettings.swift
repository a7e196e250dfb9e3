/// The settings that modifiers and client defaults make in a context, stored inline in one struct.
struct QuerySettings: Sendable {
    private(set) var ttl = Duration.zero { didSet { span = Nanoseconds(ttl) } }
    /// The duration in nanoseconds, for comparison with ages.
    private(set) var span = Nanoseconds.zero
    /// A closure that returns how long a value is fresh, instead of the duration. Untyped, because only the request knows the type.
    private(set) var ttlRule: (any Sendable)?
    /// Whether a value is fresh until something that it was read from changes.
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
    /// A closure that computes the tags of a value. Untyped, because only the request knows the type.
    var computedTags: (any Sendable)?
    var repair: (@Sendable (any Error, QueryContext) async -> Bool)?
    var keepsPrevious = false
    var isDeduplicated = true
    var notifiesEqual = false
    /// Whether observers need the request as of the same moment as other consistent requests.
    var isConsistent = false
    /// Whether the request may hold a closure, which a store must not retain.
    var isInline = false
    var conditions: [RunCondition] = []
    /// A closure that makes the placeholder. Untyped, because only the request knows the type.
    var placeholder: (any Sendable)?
    var persistence: QueryPersistence?
    /// Handlers of type ``QueryEventHandler``, for the state of the request.
    var handlers: [any Sendable] = []
    /// How many ended calls the state of a mutation keeps.
    var historyLength = 20

    mutating func setTTL(_ duration: Duration, untilChanged: Bool = false) {
        (ttl, ttlRule, isFreshUntilChanged) = (duration, nil, untilChanged)
    }

    mutating func setTTL(rule: any Sendable) { (ttlRule, isFreshUntilChanged) = (rule, false) }
}

/// What must hold when the library starts a run itself.
struct RunCondition: Sendable {
    let holds: @Sendable (QueryContext) -> Bool
    /// Whether this is the library's own condition, which holds while the closure of an inline request is known.
    var needsClosure = false
}

/// What each run needs to know about its settings, computed once for all stores that share them.
struct SettingTraits: Sendable {
    let networkMode: QueryNetworkMode
    let isDeduplicated: Bool
    /// Whether all values are fresh for the same duration.
    let hasFixedTTL: Bool
    let isFreshUntilChanged: Bool
    /// Whether the library may start a run without checking a condition.
    let isUnconditional: Bool
    /// Whether a store remembers some of the settings: caches, handlers, tags.
    let isRemembered: Bool
    /// Whether the store or the client changes when a handle with these settings is made: because of the retention, caches, handlers or
    /// tags, or because the request keeps previous values.
    let isMentioned: Bool
    /// Whether the request may hold a closure, which a store must not retain.
    let isInline: Bool
    /// What happens to a run when its last caller and observer leave.
    let abandonment: QueryAbandonment
    let hasTriggers: Bool
    /// Whether a caller with these settings needs nothing from a store but its value; see ``StoreCore/beginAlone(_:_:)``.
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

/// What happens to a run when its last caller and observer have left.
public enum QueryAbandonment: Sendable {
    /// The run is cancelled, and the state is restored to what it was before the run.
    case cancel

    /// The run continues, and its result is cached.
    case finish
}

extension QueryContext {
    /// How long a value is fresh. Default: zero, so that each new subscription refetches. A negative duration counts as zero.
    ///
    /// Setting it replaces a closure that was passed to `ttl(_:)`.
    public var ttl: Duration {
        get { settings.ttl }
        set { adjust(.ttl(max(newValue, .zero))) }
    }

    /// How long an unused store is kept. Default: `nil`, which means the client's ``QueryClient/Configuration/retention``, five minutes
    /// unless you set it.
    public var retention: Duration? {
        get { settings.retention }
        set { if let newValue { adjust(.retention(max(newValue, .zero))) } else { settings.retention = nil } }
    }

    /// How failed attempts are retried. Default: see ``QueryRetry``.
    public var retry: QueryRetry {
        get { settings.retry }
        set { settings.retry = newValue }
    }

    /// How long an attempt may take. Default: `nil`, no limit.
    public var timeout: Duration? {
        get { settings.timeout }
        set { settings.timeout = newValue }
    }

    /// Decides what happens after an error. Default: ``QueryRecovery/standard``.
    public var recovery: QueryRecovery {
        get { settings.recovery }
        set { settings.recovery = newValue }
    }

    /// Requests the permission that was missing in an attempt. Return `true` if it was granted and the attempt is worth repeating.
    ///
    /// Called at most once per run, after a ``QueryError`` with the code `insufficientPermissions`. Default: `nil`.
    public var authorization: (@Sendable (any Error, QueryContext) async -> Bool)? {
        get { settings.authorization }
        set { settings.authorization = newValue }
    }

    /// Repairs a data source that an attempt found damaged. Return `true` if the attempt is worth repeating.
    ///
    /// Called at most once per run, after a ``QueryError`` with the code `databaseCorruption`. For example, a source can move the damaged
    /// file aside, save the readable data, or continue in memory. Default: `nil`.
    public var repair: (@Sendable (any Error, QueryContext) async -> Bool)? {
        get { settings.repair }
        set { settings.repair = newValue }
    }

    /// How many ended calls of a mutation its ``MutationState/history`` keeps. Default: 20. A negative number counts as zero.
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
