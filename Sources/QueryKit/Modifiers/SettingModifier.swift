/// What a modifier does to the settings of its request.
private protocol SettingChange: Sendable {
    /// What it sets, where that can be compared.
    var comparable: ComparableSetting? { get }
    func apply(to context: inout QueryContext)
}

extension ComparableSetting: SettingChange {
    fileprivate var comparable: ComparableSetting? { self }

    fileprivate func apply(to context: inout QueryContext) {
        switch self {
        case .ttl(let duration): context.ttl = duration
        case .retention(let duration): context.retention = duration
        }
    }
}

/// A change that nothing is known of.
private struct OpaqueChange: SettingChange {
    let change: @Sendable (inout QueryContext) -> Void

    var comparable: ComparableSetting? { nil }

    func apply(to context: inout QueryContext) { change(&context) }
}

/// A request with other settings, whose fetch is left alone.
private struct AdjustedRequest<Base: QueryRequest, Change: SettingChange>: QueryRequest, RequestWrapper {
    typealias Value = Base.Value
    typealias State = Base.State

    let base: Base
    let change: Change

    var path: QueryPath { base.path }

    var identity: QueryIdentity { base.identity.adjusted(by: change.comparable, in: Self.self, around: Base.self) }

    var wrapped: any QueryRequest { base }

    func setup(context: inout QueryContext) {
        base.setup(context: &context)
        change.apply(to: &context)
    }

    func validate(in context: QueryContext) throws { try base.validate(in: context) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try await base.fetch(in: context, with: continuation)
    }

    static func == (left: Self, right: Self) -> Bool { left.base == right.base }

    func hash(into hasher: inout Hasher) { hasher.combine(base) }
}

extension QueryRequest {
    /// A setting that can be compared, so that an equal request brings the settings that it brought before.
    func setting(_ setting: ComparableSetting) -> some QueryRequest<Value, State> { AdjustedRequest(base: self, change: setting) }

    func setting(_ change: @escaping @Sendable (inout QueryContext) -> Void) -> some QueryRequest<Value, State> {
        AdjustedRequest(base: self, change: OpaqueChange(change: change))
    }
}
