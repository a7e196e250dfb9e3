/// Why a run began, or why a state changed.
///
/// Future versions may add causes, so compare with `==` and expect unknown ones. Two causes are equal if they are of the same kind and have
/// the same pattern and tag; ``region``, ``trigger`` and ``origin`` are for display only and aren't compared.
public struct QueryCause: Sendable {
    private enum Kind: UInt8 {
        case created, manual, subscribed, stale, invalidated, tagged, regionChanged, otherProcess, trigger, dependency
        case nextPage, previousPage, page, written, restored, optimistic, reset, session, cancelled, simulated
    }

    /// Properties that only some causes have. They are behind one reference to keep a cause small: each state of each store holds one.
    private final class Detail: Sendable {
        let pattern: QueryPattern?
        let tag: QueryTag?
        let region: QueryRegion?
        let trigger: String?
        let origin: QueryOrigin?

        init(
            pattern: QueryPattern? = nil,
            tag: QueryTag? = nil,
            region: QueryRegion? = nil,
            trigger: String? = nil,
            origin: QueryOrigin? = nil
        ) {
            self.pattern = pattern
            self.tag = tag
            self.region = region
            self.trigger = trigger
            self.origin = origin
        }
    }

    // In this order, a cause has nine bytes. So the properties that follow a cause in a record or a run fill the rest of the second word.
    private let detail: Detail?
    private let kind: Kind

    private init(_ kind: Kind, _ detail: Detail? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// The pattern of the invalidation, for ``invalidated(_:)``.
    public var pattern: QueryPattern? { detail?.pattern }

    /// The tag of the invalidation, for ``tagged(_:)``.
    public var tag: QueryTag? { detail?.tag }

    /// One of the changed regions, for ``regionChanged`` and ``otherProcess``.
    public var region: QueryRegion? { detail?.region }

    /// The name of the trigger, for ``trigger(_:)``.
    public var trigger: String? { detail?.trigger }

    /// The origin of the change that led to the run or state. `nil` if no change led to it, or if the events of the client had no listener.
    public var origin: QueryOrigin? { detail?.origin }

    /// The store was created, and nothing has happened to it since.
    public static let created = QueryCause(.created)

    /// The app called `fetch` or `refetch`.
    public static let manual = QueryCause(.manual)

    /// A subscription began, and there was no result yet.
    public static let subscribed = QueryCause(.subscribed)

    /// A subscription began, and the result was stale or a failure.
    public static let stale = QueryCause(.stale)

    /// An invalidation by pattern matched the request.
    public static func invalidated(_ pattern: QueryPattern) -> QueryCause { QueryCause(.invalidated, Detail(pattern: pattern)) }

    /// A tag of the request was invalidated.
    public static func tagged(_ tag: QueryTag) -> QueryCause { QueryCause(.tagged, Detail(tag: tag)) }

    /// A region that the request had read was changed.
    public static let regionChanged = QueryCause(.regionChanged)

    /// Another process changed a region that the request had read.
    public static let otherProcess = QueryCause(.otherProcess)

    /// A trigger fired, such as a timer or the return of the network.
    public static func trigger(_ name: String) -> QueryCause { QueryCause(.trigger, Detail(trigger: name)) }

    /// A request that this one depends on has a new value.
    public static let dependency = QueryCause(.dependency)

    /// The app fetched the page after the last one.
    public static let nextPage = QueryCause(.nextPage)

    /// The app fetched the page before the first one.
    public static let previousPage = QueryCause(.previousPage)

    /// The app fetched one page by its id.
    public static let page = QueryCause(.page)

    /// The app wrote a value or a result.
    public static let written = QueryCause(.written)

    /// A value was restored from a cache or an archive, or passed to ``QueryClient/store(for:initialValue:updatedAt:)``.
    public static let restored = QueryCause(.restored)

    /// A mutation added or removed a layer (an optimistic change).
    public static let optimistic = QueryCause(.optimistic)

    /// The store was reset, removed or cleared.
    public static let reset = QueryCause(.reset)

    /// The session changed, for example because the user logged out.
    public static let session = QueryCause(.session)

    /// A run was cancelled, and the state from before the run was restored.
    public static let cancelled = QueryCause(.cancelled)

    /// An inspector makes the store look different; see `InspectionAction`.
    static let simulated = QueryCause(.simulated)

    /// Returns the same cause with one of the regions that changed.
    func about(_ region: QueryRegion?) -> QueryCause {
        guard let region else { return self }
        return QueryCause(kind, Detail(region: region.inAllColumns, origin: origin))
    }

    /// Returns the same cause with its origin.
    func from(_ origin: QueryOrigin?) -> QueryCause {
        guard let origin else { return self }
        return QueryCause(kind, Detail(pattern: pattern, tag: tag, region: region, trigger: trigger, origin: origin))
    }
}

extension QueryCause: Hashable {
    public static func == (left: QueryCause, right: QueryCause) -> Bool {
        left.kind == right.kind && (left.detail === right.detail || left.pattern == right.pattern && left.tag == right.tag)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(pattern)
        hasher.combine(tag)
    }
}

extension QueryCause: Redacted, CustomStringConvertible {
    public var description: String { text(showsValues: false) }

    package func text(showsValues: Bool) -> String {
        if let pattern { return "invalidated(\(pattern.text(showsValues: showsValues)))" }
        if let tag { return "tagged(\(tag))" }
        if let region { return "\(kind)(\(region.text(showsValues: showsValues)))" }
        if let trigger { return "trigger(\(trigger))" }
        return "\(kind)"
    }
}
