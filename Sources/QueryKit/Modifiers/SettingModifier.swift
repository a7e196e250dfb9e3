/// A request with other settings, whose fetch is left alone.
private struct AdjustedRequest<Base: QueryRequest>: QueryRequest, RequestWrapper {
    typealias Value = Base.Value
    typealias State = Base.State

    let base: Base
    let change: @Sendable (inout QueryContext) -> Void
    /// What the closure sets, where that can be compared.
    let setting: ComparableSetting?

    var path: QueryPath { base.path }

    var identity: QueryIdentity { base.identity.adjusted(by: setting, in: Self.self, around: Base.self) }

    var wrapped: any QueryRequest { base }

    func setup(context: inout QueryContext) {
        base.setup(context: &context)
        change(&context)
    }

    func validate(in context: QueryContext) throws { try base.validate(in: context) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try await base.fetch(in: context, with: continuation)
    }

    static func == (left: Self, right: Self) -> Bool { left.base == right.base }

    func hash(into hasher: inout Hasher) { hasher.combine(base) }
}

extension QueryRequest {
    func setting(
        _ setting: ComparableSetting? = nil,
        _ change: @escaping @Sendable (inout QueryContext) -> Void
    ) -> some QueryRequest<Value, State> {
        AdjustedRequest(base: self, change: change, setting: setting)
    }
}
