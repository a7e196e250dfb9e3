/// Changes the settings of a request or wraps its fetch. The modified request has the same identity.
///
/// QueryKit's own modifiers conform to this protocol, and so can yours:
///
/// ```swift
/// struct Timed<Request: QueryRequest>: QueryModifier {
///     func fetch(
///         in context: QueryContext,
///         using request: Request,
///         with continuation: QueryContinuation<Request.Value>
///     ) async throws -> Request.Value {
///         let start = context.clock.now
///         defer {
///             print(request.path, start.duration(to: context.clock.now))
///         }
///         return try await request.fetch(in: context, with: continuation)
///     }
/// }
///
/// extension QueryRequest {
///     func timed() -> some QueryRequest<Value, State> {
///         modifier(Timed())
///     }
/// }
/// ```
public protocol QueryModifier<Request>: Sendable {
    /// The request that is modified; usually a generic parameter.
    associatedtype Request: QueryRequest

    /// Adjusts the context, after the request's own setup. Default: does nothing.
    func setup(context: inout QueryContext, using request: Request)

    /// Fetches the value, usually by calling the request's own fetch. Default: calls that fetch and returns its value.
    @concurrent
    func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Request.Value>
    ) async throws -> Request.Value
}

extension QueryModifier {
    public func setup(context: inout QueryContext, using request: Request) {}

    public func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Request.Value>
    ) async throws -> Request.Value {
        try await request.fetch(in: context, with: continuation)
    }
}

extension QueryRequest {
    /// Returns this request wrapped in a modifier. If two modifiers set the same thing, the outer one wins.
    public func modifier<Modifier: QueryModifier>(
        _ modifier: Modifier
    ) -> some QueryRequest<Value, State> where Modifier.Request == Self {
        ModifiedRequest(base: self, modifier: modifier)
    }
}

private struct ModifiedRequest<Base: QueryRequest, Modifier: QueryModifier>: QueryRequest, RequestWrapper where Modifier.Request == Base {
    typealias Value = Base.Value
    typealias State = Base.State

    let base: Base
    let modifier: Modifier

    var path: QueryPath { base.path }

    var identity: QueryIdentity { base.identity }

    var wrapped: any QueryRequest { base }

    func setup(context: inout QueryContext) {
        base.setup(context: &context)
        modifier.setup(context: &context, using: base)
    }

    func validate(in context: QueryContext) throws { try base.validate(in: context) }

    func cacheVariant(in context: QueryContext) -> String? { base.cacheVariant(in: context) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try await modifier.fetch(in: context, using: base, with: continuation)
    }

    static func == (left: Self, right: Self) -> Bool { left.base == right.base }

    func hash(into hasher: inout Hasher) { hasher.combine(base) }
}

extension ModifiedRequest: ClosureRequest {
    var withoutClosure: Self { Self(base: base.releasingClosure, modifier: modifier) }
    var inlineSource: (any AnyInlineSource)? { (base as? any ClosureRequest)?.inlineSource }
}
