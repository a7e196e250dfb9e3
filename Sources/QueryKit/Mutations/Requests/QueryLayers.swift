/// Declares what stores show while a call of a mutation is pending; see ``MutationRequest/optimistic(with:in:)``.
///
/// A layer is applied over a store's own value and never changes it: new results arrive underneath. When the mutation fails, only its own
/// layers are removed. After a success they are removed with the first result that contains the change: the result of a run that began
/// after the mutation, or that has read the commit of the mutation. So nothing flickers.
public struct QueryLayers: Sendable {
    /// The environment of the call: clock, time zone, calendar, dependencies.
    public let context: QueryContext

    private(set) var declarations: [any LayerDeclaration] = []

    init(_ context: QueryContext) { self.context = context }

    /// Shows a change over the value of a request's store.
    ///
    /// The change is applied again to each new value underneath, so it must handle a value that already contains the change: add a row only
    /// if the list doesn't contain it. A change that throws is ignored, and an event reports it. While the store has no value, the change
    /// is not applied; it applies to the first value.
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) where Request.State.StateValue: ExpressibleByNilLiteral {
        declarations.append(TypedLayer(request: request, initial: nil, change: change))
    }

    /// Shows a change over the value of a request's store. While the store has no value, the change is applied to a default.
    ///
    /// ```swift
    /// layers.update(Preference(.amoled), default: false) { $0 = isOn }
    /// ```
    ///
    /// The default is the starting point of the change. It is shown only as part of the layer, and never becomes the store's value.
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        default initial: Request.Value,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) where Request.State.StateValue: ExpressibleByNilLiteral {
        declarations.append(TypedLayer(request: request, initial: initial, change: change))
    }
}

extension QueryLayers {
    /// Chosen by the compiler for a state with an initial value: its message says what to write instead.
    @available(
        *,
        unavailable,
        message: "A layer needs the standard state. Remove the State of the request, and write @SharedQuery(Trips(), default: [])"
    )
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) {}
}

/// Provides the stores that layers are applied to. Implemented by the client.
protocol LayerHost: Sendable {
    func store<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral
}

/// A layer that is declared but not yet applied.
protocol LayerDeclaration: Sendable {
    /// Applies the layer to its store, and returns that store.
    func apply(in host: any LayerHost, for call: LayerOwner, leaving followUps: LayerFollowUps) -> StoreCore
}

/// The call that layers belong to.
struct LayerOwner {
    let id: LayerStack.Owner
    /// The context of the call, whose session the layers belong to.
    let context: QueryContext
    let effects: CallEffects
}

struct TypedLayer<Request: QueryRequest>: LayerDeclaration where Request.State.StateValue: ExpressibleByNilLiteral {
    let request: Request
    let initial: Request.Value?
    let change: @Sendable (inout Request.Value) throws -> Void

    func apply(in host: any LayerHost, for call: LayerOwner, leaving followUps: LayerFollowUps) -> StoreCore {
        let store = host.store(for: request)
        store.addLayer(of: call.id, in: call.context, call.effects, leaving: followUps, default: initial, change)
        return store.core
    }
}
