/// What an entry of a cache is known by: the request as text, the versions of what is encoded, and whose it is.
///
/// The text of a path is what its elements describe themselves as. It must be the same in each launch and differ where requests do, which holds
/// for texts, numbers, and values of plain types; an element with a set, a dictionary or an object inside needs a description of its own,
/// or the request a ``QueryRequest/path`` of its own.
public struct QueryCacheKey: Hashable, Codable, Sendable {
    /// The elements of the request's path, as text.
    public let path: [String]

    /// The type of the request and of its value, so that two requests with one path never read each other's values.
    public let type: String

    /// The version of what is encoded; see ``QueryRequest/persisted(in:version:maxAge:)``.
    public let version: Int

    /// The version of the app; see ``QueryContext/appVersion``.
    public let appVersion: String?

    /// Whose value it is; see ``QueryContext/session``.
    public let session: String?

    /// What the value depends on besides the request; see ``QueryRequest/cacheVariant(in:)``.
    public let variant: String?

    /// Creates a key.
    public init(
        path: QueryPath,
        type: String,
        version: Int = 1,
        appVersion: String? = nil,
        session: String? = nil,
        variant: String? = nil
    ) {
        self.path = path.elements.map(\.description)
        self.type = type
        self.version = version
        self.appVersion = appVersion
        self.session = session
        self.variant = variant
    }

    /// The key of a request, as its modifiers and the context say at this moment.
    init(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext) {
        self.init(request, persistence, context, variant: request.cacheVariant(in: context))
    }

    /// The key of a value of a request; `nil` if it is not known what the value depends on.
    init?(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext, of variant: ValueVariant) {
        switch variant {
        case .known(let variant): self.init(request, persistence, context, variant: variant)
        case .unknown:
            guard request.cacheVariant(in: context) == nil else { return nil }
            self.init(request, persistence, context, variant: nil)
        }
    }

    private init(_ request: any QueryRequest, _ persistence: QueryPersistence, _ context: QueryContext, variant: String?) {
        self.init(
            path: request.path,
            type: "\(Swift.type(of: request.unwrapped)): \(persistence.valueType)",
            version: persistence.version,
            appVersion: context.appVersion,
            session: context.session,
            variant: variant
        )
    }

    /// The key of the same request, without what its values depend on.
    var withoutVariant: QueryCacheKey {
        QueryCacheKey(path: QueryPath(path), type: type, version: version, appVersion: appVersion, session: session)
    }

    /// Whether the request belongs to a pattern, as far as its text tells: here the number `5` and the text `"5"` are the same.
    public func isMatched(by pattern: QueryPattern) -> Bool {
        pattern == .all || pattern.asText.matches(QueryPath(path))
    }
}

extension QueryCacheKey: CustomStringConvertible {
    /// The key as one text, in which different keys differ: for a cache whose keys are text.
    public var description: String {
        let parts =
            [session.map { "=\($0)" } ?? "-", appVersion.map { "=\($0)" } ?? "-", "v\(version)" + (variant.map { "=\($0)" } ?? ""), type]
            + path
        return parts.map(PathText.escaped).joined(separator: "/")
    }
}

extension QueryPattern {
    /// The pattern with the text of each element in its place.
    var asText: QueryPattern {
        QueryPattern(
            elements.map { element in
                if case .literal(let literal) = element.storage { .value(literal.description) } else { element }
            }
        )
    }
}
