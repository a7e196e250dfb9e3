/// Identifies an entry of a cache: by the request as text, the versions of the encoding and the app, and the session.
///
/// A key contains the values of its request, and so does its ``description``: store it, but don't log it.
///
/// A path element becomes text by its `description`, which must be the same in each launch and differ between different requests. That is
/// true for strings, numbers, and values of plain types. If an element contains a set, a dictionary or an object, implement its
/// `description`, or the request's ``QueryRequest/path``.
public struct QueryCacheKey: Hashable, Codable, Sendable {
    /// The elements of the request's path, as text.
    public let path: [String]

    /// The name of the request type, so that two requests with the same path never read each other's values; see
    /// ``QueryRequest/storedName``.
    public let type: String

    /// The version of the encoding; see ``QueryRequest/persisted(in:version:maxAge:)``.
    public let version: Int

    /// The version of the app; see ``QueryContext/appVersion``.
    public let appVersion: String?

    /// The session that the value belongs to; see ``QueryContext/session``.
    public let session: String?

    /// What the value depends on besides the request; see ``QueryRequest/cacheVariant(in:)``.
    public let variant: String?

    /// The positions of the elements that are whole requests; `nil` if there are none. An older key doesn't know them.
    private var whole: [Int]?

    /// Creates a key.
    public init(
        path: QueryPath,
        type: String,
        version: Int = 1,
        appVersion: String? = nil,
        session: String? = nil,
        variant: String? = nil
    ) {
        self.path = path.elements.map(\.unredacted)
        let whole = path.elements.indices.filter { path.elements[$0].isWhole }
        self.whole = whole.isEmpty ? nil : whole
        self.type = type
        self.version = version
        self.appVersion = appVersion
        self.session = session
        self.variant = variant
    }

    /// The key of a request, by its modifiers and the context at this moment.
    ///
    /// Throws if the request has no name that is the same in each launch, and if another type has the name.
    init(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext) throws {
        try self.init(request, persistence, context, variant: request.cacheVariant(in: context))
    }

    /// The key of a request's value; `nil` if the variant that the value depends on is unknown.
    init?(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext, of variant: ValueVariant) throws {
        switch variant {
        case .known(let variant): try self.init(request, persistence, context, variant: variant)
        case .unknown:
            guard request.cacheVariant(in: context) == nil else { return nil }
            try self.init(request, persistence, context, variant: nil)
        }
    }

    private init(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext, variant: String?) throws {
        let path = request.path
        self.init(
            path: path,
            type: try request.nameOnDisk(at: path, in: context),
            version: persistence.version,
            appVersion: context.appVersion,
            session: context.session,
            variant: variant
        )
    }

    /// The key without its variant, the same for all values of the request.
    var withoutVariant: QueryCacheKey {
        QueryCacheKey(path: queryPath, type: type, version: version, appVersion: appVersion, session: session)
    }

    /// The path, created from the key's text, for events.
    var queryPath: QueryPath {
        QueryPath(elements: path.enumerated().map { whole?.contains($0) == true ? .init(whole: $1) : .init($1) })
    }

    /// Whether a pattern matches the path as text. In this comparison, the number `5` equals the text `"5"`.
    public func isMatched(by pattern: QueryPattern) -> Bool {
        pattern == .all || pattern.asText.matches(QueryPath(path))
    }
}

extension QueryCacheKey: CustomStringConvertible {
    /// The key as one text, different for different keys, for a cache whose keys are text.
    public var description: String {
        let parts =
            [session.map { "=\($0)" } ?? "-", appVersion.map { "=\($0)" } ?? "-", "v\(version)" + (variant.map { "=\($0)" } ?? ""), type]
            + path
        return parts.map(PathText.escaped).joined(separator: "/")
    }
}

extension QueryPattern {
    /// The pattern with each element replaced by its text.
    var asText: QueryPattern {
        QueryPattern(
            elements.map { element in
                if case .literal(let literal) = element.storage { .value(literal.unredacted) } else { element }
            }
        )
    }
}
