/// A mutation that you create from a path and a closure.
///
/// ```swift
/// let rename = InlineMutation("trips/rename") { (name: String, context) in
///     try await context.trips.rename(id, to: name)
/// }
/// .optimistic { name, layers in
///     layers.update(Trip.detail(id)) { $0.name = name }
/// }
/// .invalidates("trips/**")
///
/// try await client.mutate(rename, with: "Lisbon")
/// ```
///
/// Its identity is the path and the types of arguments and value. Inline mutations with the same identity share a store, whose state lists
/// their calls. Each call runs the closure of the mutation that you passed for it. A store retains no closure.
///
/// An inline mutation is never written to a journal, because a closure doesn't outlive the process. For calls that survive a relaunch, use
/// ``DurableMutationRequest``.
public struct InlineMutation<Arguments: Sendable, Value: Sendable>: MutationRequest {
    public typealias State = MutationState<Arguments, Value>

    public let path: QueryPath

    private let source: InlineCall<Arguments, Value>?
    private let effects: InlineEffects<Arguments, Value>

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
        effects = InlineEffects()
        source = InlineCall(CodeLocation(file, line), effects, mutate)
    }

    /// Creates a mutation that has no closure and refers to the store with this path and these types. Use it to read state and history.
    ///
    /// A call runs the latest closure that is in use for this path and these types, together with the optimistic layers, patterns and scope
    /// that were declared with that closure. If no closure is known, the call throws a ``QueryError`` with the code
    /// ``QueryError/Code/invalidParameters``.
    public init(_ path: QueryPath, _ elements: any Hashable & Sendable...) {
        self.path = elements.isEmpty ? path : path.appending(QueryPath(elements))
        (source, effects) = (nil, InlineEffects())
    }

    private init(_ path: QueryPath, _ source: InlineCall<Arguments, Value>?, _ effects: InlineEffects<Arguments, Value>) {
        (self.path, self.source, self.effects) = (path, source, effects)
    }

    public var scope: String? { effects.scope }

    private func with(_ change: (inout InlineEffects<Arguments, Value>) -> Void) -> InlineMutation {
        var effects = effects
        change(&effects)
        return InlineMutation(path, source.map { InlineCall($0.location, effects, $0.mutate) }, effects)
    }

    // MARK: Modifiers

    /// Declares what stores show until the change is made; see ``MutationRequest/optimistic(with:in:)``. Several declarations apply in
    /// order.
    public func optimistic(_ declare: @escaping @Sendable (Arguments, inout QueryLayers) throws -> Void) -> InlineMutation {
        with { effects in
            effects.layers = { [layers = effects.layers] arguments, stack in
                try layers?(arguments, &stack)
                try declare(arguments, &stack)
            }
        }
    }

    /// Invalidates requests after success, in addition to those named before.
    public func invalidates(_ patterns: QueryPattern...) -> InlineMutation { invalidates { _, _ in patterns } }

    /// Invalidates the requests that a closure returns after success, in addition to those named before.
    public func invalidates(_ patterns: @escaping @Sendable (Arguments, Value) -> [QueryPattern]) -> InlineMutation {
        with { effects in
            effects.patterns = { [former = effects.patterns] arguments, value in
                (former?(arguments, value) ?? []) + patterns(arguments, value)
            }
        }
    }

    /// Makes all calls with this scope run one after the other; see ``MutationRequest/scope``.
    public func scope(_ scope: String?) -> InlineMutation { with { $0.scope = scope } }

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

    public func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws { try effects.layers?(arguments, &layers) }

    public func invalidates(with arguments: Arguments, value: Value) -> [QueryPattern] { effects.patterns?(arguments, value) ?? [] }

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
    var withoutClosure: InlineMutation { InlineMutation(path, nil, InlineEffects()) }

    var inlineSource: (any AnyInlineSource)? { source }
}

/// A mutation that may lack the closure that it calls.
protocol ClosureMutation: MutationRequest {
    /// The same mutation with the closure and the declarations that the context knows; `nil` if nothing is missing, or nothing is known.
    func completed(in context: QueryContext) -> Self?
}

extension InlineMutation: ClosureMutation {
    func completed(in context: QueryContext) -> InlineMutation? {
        guard source == nil, let known = context.inlineSource(for: identity) as? InlineCall<Arguments, Value> else { return nil }
        return InlineMutation(path, known, known.effects.followed(by: effects))
    }
}

/// What an inline mutation declares besides its closure.
private struct InlineEffects<Arguments: Sendable, Value: Sendable>: Sendable {
    var scope: String?
    var layers: (@Sendable (Arguments, inout QueryLayers) throws -> Void)?
    var patterns: (@Sendable (Arguments, Value) -> [QueryPattern])?

    /// Combines both declarations. If both have a scope, the second one applies.
    func followed(by other: InlineEffects) -> InlineEffects {
        InlineEffects(
            scope: other.scope ?? scope,
            layers: { [layers] arguments, stack in
                try layers?(arguments, &stack)
                try other.layers?(arguments, &stack)
            },
            patterns: { [patterns] arguments, value in (patterns?(arguments, value) ?? []) + (other.patterns?(arguments, value) ?? []) }
        )
    }
}

/// The closure of an inline mutation, and what was declared with it.
private final class InlineCall<Arguments: Sendable, Value: Sendable>: AnyInlineSource {
    let mutate: @Sendable (Arguments, QueryContext) async throws -> Value
    let location: CodeLocation
    let effects: InlineEffects<Arguments, Value>

    var maxPages: Int? { nil }

    init(
        _ location: CodeLocation,
        _ effects: InlineEffects<Arguments, Value>,
        _ mutate: @escaping @Sendable (Arguments, QueryContext) async throws -> Value
    ) {
        (self.location, self.effects, self.mutate) = (location, effects, mutate)
    }
}

/// The identity of an inline mutation.
private struct InlineMutationKey<Arguments: Sendable, Value: Sendable>: InlineIdentity {
    static var request: any QueryRequest.Type { InlineMutation<Arguments, Value>.self }

    let path: QueryPath
}
