public import Foundation

extension QueryClient {
    /// The store of a request: the one that everybody shares who asks for an equal request.
    ///
    /// A request with modifiers brings its settings along: they hold for the store from now on, except that of several retentions the longest
    /// wins. A request without modifiers takes the store as it is.
    public func store<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        QueryStore(core(for: request, initial: nil))
    }

    /// The store of a request whose state begins with a value of its own.
    ///
    /// The initial value shows until the first result. It is no result: the status is `.idle`, and the first subscriber brings a run.
    public func store<Request: QueryRequest>(
        for request: Request,
        initialValue: @autoclosure () -> Request.State.StateValue
    ) -> QueryStore<Request.State> {
        QueryStore(core(for: request, initial: initialValue()))
    }

    private func core<Request: QueryRequest>(
        for request: Request,
        initial: @autoclosure () -> (any Sendable)?
    ) -> StoreCore {
        let identity = request.identity
        let (store, isNew) = core.find(identity) { ticket in
            let context = resolvedContext(for: request)
            return StoreCore(
                Typing<Request.State>.shared,
                initial: initial(),
                request: request,
                context: context,
                placeholder: placeholder(for: request, context, identity.type),
                host: core,
                ticket: ticket
            )
        }
        precondition(
            store.typing === Typing<Request.State>.shared,
            "\(Request.self) has the identity of a request with another state: \(store.request)"
        )
        // A session may have begun before the store was filed: then that has not reached it.
        if isNew { renew(store) }
        guard identity.type != ObjectIdentifier(Request.self) else { return store }
        if isNew {
            store.setTags(of: nil)
        } else {
            adopt(request, in: store) { store.hasValue ? nil : placeholder(for: request, $0, identity.type) }
        }
        let settings = store.context.settings
        if settings.persistence != nil { core.fill(store) }
        if settings.keepsPrevious { core.lookAt(store, of: identity.type) }
        return store
    }

    /// The store of a request with a value from elsewhere, such as a cache of your own, that is as old as its date says.
    ///
    /// The value counts as a result: while it is fresh by the request's time to live, no run is needed. A date in the future counts as
    /// very old. Where the store has a result already, the value is ignored.
    public func store<Request: QueryRequest>(
        for request: Request,
        initialValue: Request.Value,
        updatedAt date: Date
    ) -> QueryStore<Request.State> where Request.State.StateValue: ExpressibleByNilLiteral {
        let store = store(for: request)
        store.seed(initialValue, updatedAt: date)
        return store
    }

    /// The store of a request if there is one; nothing is made.
    func existingStore<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>? {
        guard let store = core.find(request.identity), store.typing === Typing<Request.State>.shared else { return nil }
        return QueryStore(store)
    }

    /// The stores that a pattern matches, in no particular order. Costs as much as there are matches.
    public func stores(matching pattern: QueryPattern) -> [any AnyQueryStore] {
        core.stores(matching: pattern).map { $0.typing.handle($0) }
    }

    /// The stores with a state of one type that a pattern matches.
    public func stores<State: QueryStateProtocol>(matching pattern: QueryPattern, of state: State.Type) -> [QueryStore<State>] {
        core.stores(matching: pattern).compactMap { $0.typing === Typing<State>.shared ? QueryStore($0) : nil }
    }

    // MARK: Settings

    /// Lets the store of a request take over the settings of an equal one. What it shows stays, and nothing is published.
    func adoptSettings<Request: QueryRequest>(of request: Request, in store: QueryStore<Request.State>) {
        guard request.identity.type != ObjectIdentifier(Request.self) else { return }
        adopt(request, in: store.core) { _ in nil }
    }

    /// Lets a store take over the settings of a request, in the session of this moment.
    private func adopt<Request: QueryRequest>(
        _ request: Request,
        in store: StoreCore,
        showing standIn: (QueryContext) -> Request.Value?
    ) {
        while true {
            let context = resolvedContext(for: request)
            if store.adopt(request, context, placeholder: standIn(context)) { return }
            // Another session has begun, and has not come to the store yet, or the settings are of the one before.
            renew(store)
        }
    }

    /// The client's context with defaults, setup and modifiers applied, from far to near.
    func resolvedContext<Request: QueryRequest>(for request: Request) -> QueryContext {
        var context = self.context
        let owner = context.owner
        let defaults = core.configuration.defaults
        if !defaults.isEmpty {
            let path = request.path
            for item in defaults where item.pattern.matches(path) { item.apply(&context) }
        }
        request.setup(context: &context)
        // Whatever the request sets: its store is this client's, and of the session of this moment.
        if context.owner !== owner { context.owner = owner }
        return context
    }

    /// What the request shows until it has a value: what the one of its type that was looked at before in this session shows, if it keeps that, or its own.
    private func placeholder<Request: QueryRequest>(
        for request: Request,
        _ context: QueryContext,
        _ type: ObjectIdentifier
    ) -> Request.Value? {
        if context.settings.keepsPrevious, let previous = core.lookedAt(type) as? StoreCore,
            previous.identity != request.identity,
            let value = previous.contents.withLock({ $0.context.owner === context.owner ? $0.state : nil })?.value(as: Request.Value.self)
        {
            return value
        }
        return (context.settings.placeholder as? QueryPlaceholder<Request.Value>)?.make()
    }
}
