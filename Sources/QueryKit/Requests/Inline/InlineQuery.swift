/// A request made of a path and a closure, for one-liners and first steps.
///
/// ```swift
/// let trip = try await client.fetch(InlineQuery("trips", id) { context in try await context.trips.trip(id) })
/// ```
///
/// Its identity is the path and the type of the value. Everything that the closure captures and the value depends on belongs in the path: two
/// inline queries with one path and one type share a store, a run and a value, whatever their closures do.
///
/// A run uses the closure of the observer or caller that caused it. A store keeps no closure: it is released with its last observer, caller and
/// handle. Without a closure, an inline query addresses the store, to read, write or invalidate it.
///
/// For requests that several screens use, that need a `setup`, or that you want to test by themselves, write a struct; see ``QueryRequest``.
public struct InlineQuery<Value: Sendable>: QueryRequest {
    public let path: QueryPath

    let source: InlineSource<Value>?

    /// Creates a query that fetches with a closure. Everything that the closure captures belongs in the path.
    ///
    /// ```swift
    /// InlineQuery("trips", id) { context in try await context.trips.trip(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: Where the request stands among all others. A string is split at `/`.
    ///   - elements: More elements of the path, such as an id.
    ///   - fetch: Fetches the value, off the main actor, with the dependencies that it finds in the context.
    ///   - file: Where the closure is written, for messages.
    ///   - line: The line of that.
    public init(
        _ path: QueryPath,
        _ elements: any Hashable & Sendable...,
        fetch: @escaping @Sendable (QueryContext) async throws -> Value,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(path, elements, InlineSource(SourcePlace(file, line)) { context, _ in try await fetch(context) })
    }

    /// Creates a query whose closure may yield intermediate values. Everything that the closure captures belongs in the path.
    ///
    /// ```swift
    /// InlineQuery("report", year) { context, continuation in
    ///     continuation.yield(try await context.reports.draft(year))
    ///     return try await context.reports.report(year)
    /// }
    /// ```
    public init(
        _ path: QueryPath,
        _ elements: any Hashable & Sendable...,
        fetch: @escaping @Sendable (QueryContext, QueryContinuation<Value>) async throws -> Value,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(path, elements, InlineSource(SourcePlace(file, line), fetch))
    }

    /// Addresses the store of the queries with this path and type of value.
    ///
    /// ```swift
    /// client.setValue([], for: InlineQuery<[Trip]>("trips/all"))
    /// ```
    ///
    /// A fetch uses the closure of another observer, caller or handle. If none is known, it throws a ``QueryError`` with the code
    /// ``QueryError/Code/invalidParameters``, and the library starts no run by itself.
    public init(_ path: QueryPath, _ elements: any Hashable & Sendable...) {
        self.init(path, elements, nil)
    }

    init(_ path: QueryPath, _ elements: [any Hashable & Sendable], _ source: InlineSource<Value>?) {
        self.path = elements.isEmpty ? path : path.appending(QueryPath(elements))
        self.source = source
    }

    public var identity: QueryIdentity { QueryIdentity(InlineKey<Value>(path: path)) }

    public func setup(context: inout QueryContext) { context.useInline(source, for: identity) }

    public func validate(in context: QueryContext) throws {
        if source == nil, context.inlineSource(for: identity) == nil {
            throw QueryError(
                .invalidParameters,
                "No closure is known that fetches \(path). Write InlineQuery(path) { context in … }, or observe it where that is written.",
                path: path
            )
        }
    }

    public func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try validate(in: context)
        guard let source = source ?? context.inlineSource(for: identity) as? InlineSource<Value> else { throw CancellationError() }
        return try await source.fetch(context, continuation)
    }

    public static func == (left: Self, right: Self) -> Bool { left.path == right.path }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension InlineQuery: ClosureRequest {
    var withoutClosure: InlineQuery { InlineQuery(path, [], nil) }

    var inlineSource: (any AnyInlineSource)? { source }
}

/// What an inline query is known by.
private struct InlineKey<Value>: Hashable, Sendable, FamilyKey {
    let path: QueryPath

    /// Inline queries of one type that begin with the same element are kin, as `("search", text)` and `("search", other)` are.
    var family: QueryPath.Element? { path.elements.first }
}
