/// A request that you create from a path and a closure, for one-liners and first steps.
///
/// ```swift
/// let trip = try await client.fetch(
///     InlineQuery("trips", id) { context in
///         try await context.trips.trip(id)
///     }
/// )
/// ```
///
/// Its identity is the path and the type of the value. If the value depends on something that the closure captures, put it into the path:
/// two inline queries with the same path and type share a store, a run and a value, even if their closures differ.
///
/// A run uses the closure of the observer or caller that caused it. No store retains a closure: it is released with its last observer,
/// caller and handle. Create an inline query without a closure to read, write or invalidate the store. If no closure is in use for a store,
/// a call such as `client.invalidate("trips/**", refetch: .all)` only marks its value as out of date.
///
/// If several screens use the request, if it needs a `setup`, or if you want to test it separately, write a struct instead; see
/// ``QueryRequest``.
public struct InlineQuery<Value: Sendable>: QueryRequest {
    public let path: QueryPath

    let source: InlineSource<Value>?

    /// Creates a query that fetches with a closure. Put everything that the closure captures into the path.
    ///
    /// ```swift
    /// InlineQuery("trips", id) { context in try await context.trips.trip(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The position of the request in the hierarchy that patterns match. A string is split at `/`.
    ///   - elements: More elements of the path, such as an id.
    ///   - fetch: Fetches the value, off the main actor, with the dependencies of the context.
    ///   - file: The file that contains the closure, for messages.
    ///   - line: The line of the closure, for messages.
    public init(
        _ path: QueryPath,
        _ elements: any Hashable & Sendable...,
        fetch: @escaping @Sendable (QueryContext) async throws -> Value,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(path, elements, InlineSource(CodeLocation(file, line)) { context, _ in try await fetch(context) })
    }

    /// Creates a query whose closure may yield intermediate values. Put everything that the closure captures into the path.
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
        self.init(path, elements, InlineSource(CodeLocation(file, line), fetch))
    }

    /// Creates a query that has no closure and refers to the store of the queries with this path and type of value.
    ///
    /// ```swift
    /// client.setValue([], for: InlineQuery<[Trip]>("trips/all"))
    /// ```
    ///
    /// A fetch uses the closure of another observer, caller or handle. If no closure is known, the fetch throws a ``QueryError`` with the
    /// code ``QueryError/Code/invalidParameters``, and the library does not start runs itself.
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
                "The query \(path) has no closure. Write InlineQuery(path) { context in … }, or observe a query with this path that has one.",
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

/// The identity of an inline query.
private struct InlineKey<Value: Sendable>: InlineIdentity {
    static var request: any QueryRequest.Type { InlineQuery<Value>.self }

    let path: QueryPath
}
