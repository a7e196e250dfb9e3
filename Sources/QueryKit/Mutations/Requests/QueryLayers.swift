/// What a mutation lets stores show while it is on its way; see ``MutationRequest/optimistic(with:in:)``.
///
/// A layer lies over a store's own value and never changes it: new results slide in underneath, and when the mutation fails its layers go
/// and no others. Otherwise they go with the first result that holds what they promise: of a run that began after the mutation, or that has read
/// its commit. So nothing flickers.
public struct QueryLayers: Sendable {
    /// The environment of the call: clock, time zone, calendar, dependencies.
    public let context: QueryContext

    private(set) var declarations: [any LayerDeclaration] = []

    init(_ context: QueryContext) { self.context = context }

    /// Lets a request's store show its value with a change.
    ///
    /// The change is applied again to each new value beneath, so it must work on a value that already contains it: "add it unless it is
    /// there". A change that throws is left out and reported as an event. While the store has no value there is nothing to change; the
    /// first value is changed.
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) where Request.State.StateValue: ExpressibleByNilLiteral {
        declarations.append(TypedLayer(request: request, initial: nil, change: change))
    }

    /// Lets a request's store show its value with a change, or a default with the change while it has no value.
    ///
    /// ```swift
    /// layers.update(Preference(.amoled), default: false) { $0 = isOn }
    /// ```
    ///
    /// The default is what the change begins with. It is shown only while the layer is there, and never becomes the store's value.
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        default initial: Request.Value,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) where Request.State.StateValue: ExpressibleByNilLiteral {
        declarations.append(TypedLayer(request: request, initial: initial, change: change))
    }
}

extension QueryLayers {
    /// What the compiler chooses for a state that begins with a value: it says what to write.
    @available(
        *,
        unavailable,
        message: "A layer needs a request with the standard state. Remove the State of the request, and give the property a default:."
    )
    public mutating func update<Request: QueryRequest>(
        _ request: Request,
        _ change: @escaping @Sendable (inout Request.Value) throws -> Void
    ) {}
}

/// Finds the stores that layers are laid over: a client.
protocol LayerHost: Sendable {
    func store<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral
}

/// A layer that was declared and has no place yet.
protocol LayerDeclaration: Sendable {
    /// Lays the layer over its store, and returns that store.
    func place(in host: any LayerHost, for call: LayerOwner, leaving rest: LayerFollowUps) -> StoreCore
}

/// The call to which layers belong.
struct LayerOwner {
    let id: LayerStack.Owner
    /// The context of the call, whose session the layers belong to.
    let context: QueryContext
    let effects: CallEffects
}

private struct TypedLayer<Request: QueryRequest>: LayerDeclaration where Request.State.StateValue: ExpressibleByNilLiteral {
    let request: Request
    let initial: Request.Value?
    let change: @Sendable (inout Request.Value) throws -> Void

    func place(in host: any LayerHost, for call: LayerOwner, leaving rest: LayerFollowUps) -> StoreCore {
        let store = host.store(for: request)
        store.addLayer(of: call.id, in: call.context, call.effects, leaving: rest, default: initial, change)
        return store.core
    }
}
