/// A change that a modifier makes to the settings of its request.
@usableFromInline
protocol SettingChange: Sendable {
    /// The change as a comparable value; `nil` if it can't be compared.
    var comparable: ComparableSetting? { get }
    func apply(to context: inout QueryContext)
}

extension ComparableSetting: SettingChange {
    @usableFromInline
    var comparable: ComparableSetting? { self }

    @usableFromInline
    func apply(to context: inout QueryContext) {
        switch self {
        case .ttl(let duration): context.ttl = duration
        case .freshUntilChanged: context.adjust(self)
        case .retention(let duration): context.retention = duration
        }
    }
}

/// A change that can't be compared, because it is a closure.
private struct OpaqueChange: SettingChange {
    let change: @Sendable (inout QueryContext) -> Void

    var comparable: ComparableSetting? { nil }

    func apply(to context: inout QueryContext) { change(&context) }
}

/// A request with changed settings and the same fetch.
///
/// The code that creates it is inlinable. Otherwise the runtime would look up the opaque type of another module at each use, and each
/// lookup costs as much as a fetch of a fresh value.
@usableFromInline
struct AdjustedRequest<Base: QueryRequest, Change: SettingChange>: QueryRequest, RequestWrapper {
    @usableFromInline typealias Value = Base.Value
    @usableFromInline typealias State = Base.State

    @usableFromInline let base: Base
    @usableFromInline let change: Change

    @inlinable
    init(base: Base, change: Change) {
        self.base = base
        self.change = change
    }

    @usableFromInline var path: QueryPath { base.path }

    @usableFromInline var identity: QueryIdentity { base.identity.adjusted(by: change.comparable, in: Self.self, around: Base.self) }

    @usableFromInline var wrapped: any QueryRequest { base }

    @usableFromInline
    func setup(context: inout QueryContext) {
        base.setup(context: &context)
        change.apply(to: &context)
    }

    @usableFromInline
    func validate(in context: QueryContext) throws { try base.validate(in: context) }

    @usableFromInline
    func cacheVariant(in context: QueryContext) -> String? { base.cacheVariant(in: context) }

    @usableFromInline
    func fetch(in context: QueryContext, with continuation: QueryContinuation<Value>) async throws -> Value {
        try await base.fetch(in: context, with: continuation)
    }

    @usableFromInline
    static func == (left: Self, right: Self) -> Bool { left.base == right.base }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(base) }
}

extension AdjustedRequest: ClosureRequest {
    var withoutClosure: Self { Self(base: base.releasingClosure, change: change) }
    var inlineSource: (any AnyInlineSource)? { (base as? any ClosureRequest)?.inlineSource }
}

extension QueryRequest {
    /// Applies a comparable setting, so that a store has nothing to update if an equal request comes with equal settings.
    @inlinable
    func setting(_ setting: ComparableSetting) -> some QueryRequest<Value, State> { AdjustedRequest(base: self, change: setting) }

    func setting(_ change: @escaping @Sendable (inout QueryContext) -> Void) -> some QueryRequest<Value, State> {
        AdjustedRequest(base: self, change: OpaqueChange(change: change))
    }
}
