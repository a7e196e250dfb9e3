/// Why a run began, or why a state changed.
///
/// New causes may come, so compare with `==` and expect others. Two causes are equal when the same thing happened; ``region`` and
/// ``trigger`` are details for people and do not count.
public struct QueryCause: Sendable {
    private enum Kind: UInt8 {
        case created, manual, subscribed, stale, invalidated, tagged, regionChanged, otherProcess, trigger, dependency
        case nextPage, previousPage, page, written, restored, optimistic, reset, session, cancelled
    }

    /// What only some causes have, behind one reference: each state of each store holds a cause.
    private final class Detail: Sendable {
        let pattern: QueryPattern?
        let tag: QueryTag?
        let region: QueryRegion?
        let trigger: String?

        init(pattern: QueryPattern? = nil, tag: QueryTag? = nil, region: QueryRegion? = nil, trigger: String? = nil) {
            self.pattern = pattern
            self.tag = tag
            self.region = region
            self.trigger = trigger
        }
    }

    // In this order the size is nine bytes, and what follows in a record or a run fills the rest of the word.
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

    /// One of the regions whose change was the cause, for ``regionChanged`` and ``otherProcess``.
    public var region: QueryRegion? { detail?.region }

    /// The name of the trigger, for ``trigger(_:)``.
    public var trigger: String? { detail?.trigger }

    /// The store was made; nothing has happened to it.
    public static let created = QueryCause(.created)

    /// Somebody called `fetch`, or asked for a refetch by name.
    public static let manual = QueryCause(.manual)

    /// Somebody subscribed, and there was no result yet.
    public static let subscribed = QueryCause(.subscribed)

    /// Somebody subscribed, and the result was too old or had failed.
    public static let stale = QueryCause(.stale)

    /// An invalidation named the request.
    public static func invalidated(_ pattern: QueryPattern) -> QueryCause { QueryCause(.invalidated, Detail(pattern: pattern)) }

    /// An invalidation named a tag of the request.
    public static func tagged(_ tag: QueryTag) -> QueryCause { QueryCause(.tagged, Detail(tag: tag)) }

    /// Something changed that the request had read.
    public static let regionChanged = QueryCause(.regionChanged)

    /// Another process changed something that the request had read.
    public static let otherProcess = QueryCause(.otherProcess)

    /// A trigger fired, such as a timer or the return of the network.
    public static func trigger(_ name: String) -> QueryCause { QueryCause(.trigger, Detail(trigger: name)) }

    /// A request on which this one depends has a new value.
    public static let dependency = QueryCause(.dependency)

    /// Somebody asked for the page after the last.
    public static let nextPage = QueryCause(.nextPage)

    /// Somebody asked for the page before the first.
    public static let previousPage = QueryCause(.previousPage)

    /// Somebody asked for one page by its id.
    public static let page = QueryCause(.page)

    /// Somebody wrote a value or a result.
    public static let written = QueryCause(.written)

    /// A value came from a cache, or with the request itself.
    public static let restored = QueryCause(.restored)

    /// A mutation laid a value over the store's own, or took it away.
    public static let optimistic = QueryCause(.optimistic)

    /// The store was reset, removed or cleared.
    public static let reset = QueryCause(.reset)

    /// The session changed, as at log-out.
    public static let session = QueryCause(.session)

    /// A run was cancelled, and the state went back to what it was.
    public static let cancelled = QueryCause(.cancelled)

    /// The same cause with one of the regions that it is about.
    func about(_ region: QueryRegion?) -> QueryCause {
        guard let region else { return self }
        return QueryCause(kind, Detail(region: region.inAllColumns))
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

extension QueryCause: CustomStringConvertible {
    public var description: String {
        if let pattern { return "invalidated(\(pattern))" }
        if let tag { return "tagged(\(tag))" }
        if let region { return "\(kind)(\(region))" }
        if let trigger { return "trigger(\(trigger))" }
        return "\(kind)"
    }
}
