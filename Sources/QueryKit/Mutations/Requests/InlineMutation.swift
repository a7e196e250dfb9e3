/// A mutation made of a path and a closure.
///
/// ```swift
/// let rename = InlineMutation("trips/rename") { (name: String, context) in try await context.trips.rename(id, to: name) }
///     .optimistic { name, layers in layers.update(Trip.detail(id)) { $0.name = name } }
///     .invalidates("trips/**")
///
/// try await client.mutate(rename, with: "Lisbon")
/// ```
///
/// Its identity is the path and the types of arguments and value. Its calls appear in the state of the store with that identity, and each
/// runs the closure that it was made with. A store retains no closure.
///
/// An inline mutation is never written to a journal, because a closure doesn't outlive the process. Use ``DurableMutationRequest`` for
/// that.
public struct InlineMutation<Arguments: Sendable, Value: Sendable>: MutationRequest {
    public typealias State = MutationState<Arguments, Value>

    public let path: QueryPath
    public private(set) var scope: String?

    private let source: InlineCall<Arguments, Value>?
    private var layers: (@Sendable (Arguments, inout QueryLayers) throws -> Void)?
    private var patterns: (@Sendable (Arguments, Value) -> [QueryPattern])?

    /// Creates a mutation that runs a closure for each call.
    ///
    /// - Parameters:
    ///   - path: The position of the request in the hierarchy that patterns match. A string is split at `/`.
    ///   - elements: More elements of the path, such as an id.
    ///   - mutate: Makes the change, off the main actor, with the dependencies of the context.
    ///   - file: The file that contains the closure, for messages.
    ///   - line: The line of the closure, for messages.
    public init(
        _ path: QueryPath,
        _ elements: any Hashable & Sendable...,
        mutate: @escaping @Sendable (Arguments, QueryContext) async throws -> Value,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.path = elements.isEmpty ? path : path.appending(QueryPath(elements))
        source = InlineCall(SourcePlace(file, line), mutate)
    }

    /// Creates a mutation without a closure, which refers to the store with this path and these types. Use it to read state and history.
    ///
    /// A call runs the closure of another handle or observer. If none is known, the call throws a ``QueryError`` with the code
    /// ``QueryError/Code/invalidParameters``.
    public init(_ path: QueryPath, _ elements: any Hashable & Sendable...) {
        self.path = elements.isEmpty ? path : path.appending(QueryPath(elements))
        source = nil
    }

    private init(addressing path: QueryPath) { (self.path, source) = (path, nil) }

    // MARK: Modifiers

    /// Declares what stores show until the change is made; see ``MutationRequest/optimistic(with:in:)``. Several declarations apply in
    /// order.
    public func optimistic(_ declare: @escaping @Sendable (Arguments, inout QueryLayers) throws -> Void) -> InlineMutation {
        var new = self
        new.layers = { [layers] arguments, stack in
            try layers?(arguments, &stack)
            try declare(arguments, &stack)
        }
        return new
    }

    /// Invalidates requests after success, in addition to those named before.
    public func invalidates(_ patterns: QueryPattern...) -> InlineMutation { invalidates { _, _ in patterns } }

    /// Invalidates the requests that a closure returns after success, in addition to those named before.
    public func invalidates(_ patterns: @escaping @Sendable (Arguments, Value) -> [QueryPattern]) -> InlineMutation {
        var new = self
        new.patterns = { [former = self.patterns] arguments, value in (former?(arguments, value) ?? []) + patterns(arguments, value) }
        return new
    }

    /// Makes calls run one after the other with all others of the same scope; see ``MutationRequest/scope``.
    public func scope(_ scope: String?) -> InlineMutation {
        var new = self
        new.scope = scope
        return new
    }

    // MARK: MutationRequest

    public var identity: QueryIdentity { QueryIdentity(InlineMutationKey<Arguments, Value>(path: path)) }

    public func setup(context: inout QueryContext) { context.useInline(source, for: identity) }

    public func validate(in context: QueryContext) throws {
        if source == nil, context.inlineSource(for: identity) == nil {
            throw QueryError(
                .invalidParameters,
                "The mutation \(path) has no closure. Write InlineMutation(path) { arguments, context in … }.",
                path: path
            )
        }
    }

    public func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws { try self.layers?(arguments, &layers) }

    public func invalidates(with arguments: Arguments, value: Value) -> [QueryPattern] { patterns?(arguments, value) ?? [] }

    public func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<Value>
    ) async throws -> Value {
        try validate(in: context)
        guard let source = source ?? context.inlineSource(for: identity) as? InlineCall<Arguments, Value> else { throw CancellationError() }
        return try await source.mutate(arguments, context)
    }

    public static func == (left: Self, right: Self) -> Bool { left.path == right.path }

    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension InlineMutation: ClosureRequest {
    var withoutClosure: InlineMutation { InlineMutation(addressing: path) }

    var inlineSource: (any AnyInlineSource)? { source }
}

/// The closure of an inline mutation.
private final class InlineCall<Arguments: Sendable, Value: Sendable>: AnyInlineSource {
    let mutate: @Sendable (Arguments, QueryContext) async throws -> Value
    let place: SourcePlace

    var maxPages: Int? { nil }

    init(_ place: SourcePlace, _ mutate: @escaping @Sendable (Arguments, QueryContext) async throws -> Value) {
        (self.place, self.mutate) = (place, mutate)
    }
}

/// The identity of an inline mutation.
private struct InlineMutationKey<Arguments, Value>: Hashable, Sendable, FamilyKey {
    let path: QueryPath

    var family: QueryPath.Element? { path.elements.first }
}
