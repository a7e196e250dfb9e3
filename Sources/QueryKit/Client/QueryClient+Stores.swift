public import Foundation

extension QueryClient {
    /// Returns the store of a request. Equal requests share one state, one run and one value.
    ///
    /// The returned handle has the settings of this request: they apply when you subscribe or fetch through it. Handles made with other
    /// modifiers keep their own settings. A request without modifiers has the defaults.
    public func store<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        let (store, settings) = entry(for: request, .shared)
        return QueryStore(store, settings)
    }

    /// Returns the store of a request, and creates it with an initial value if there is none.
    ///
    /// The initial value is shown until the first result. It doesn't count as a result: the status is `.idle`, and the first subscription
    /// starts a run.
    public func store<Request: QueryRequest>(
        for request: Request,
        initialValue: @autoclosure () -> Request.State.StateValue
    ) -> QueryStore<Request.State> {
        let (store, settings) = entry(for: request, Typing(beginningWith: initialValue()))
        return QueryStore(store, settings)
    }

    /// The shared state of a request, and the settings of this request.
    func entry<Request: QueryRequest>(
        for request: Request,
        _ typing: @autoclosure () -> Typing<Request.State>
    ) -> (store: StoreCore, settings: RequestSettings) {
        let identity = request.identity
        var made: RequestSettings?
        let (store, isNew) = core.find(identity) { ticket, number in
            let new = settings(for: request, identity)
            made = new
            return StoreCore(typing(), settings: new, after: number, host: core, ticket: ticket)
        }
        precondition(
            store.typing.stateType == ObjectIdentifier(Request.State.self),
            "\(Request.self) has the identity of a request with another type of state: \(store.path)"
        )
        let isPlain = identity.type == ObjectIdentifier(Request.self)
        let known =
            isNew
            ? made
            : isPlain ? store.plainSettings(of: identity.type) : store.settings(knownFor: identity, of: ObjectIdentifier(Request.self))
        // If a session began before the store was registered, the change of session has not reached the store.
        if isNew { renew(store) }
        let current = if let known { store.inPresentSession(known) } else { settings(for: request, identity) }
        if isPlain, !isNew, current !== known { store.keepPlainSettings(current) }
        if current.isMentioned {
            store.register(current)
            if current.isPersisted { core.fill(store, current) }
            if current.keepsPrevious { core.lookAt(store, current.isInline ? current.kept : current, of: identity.family) }
        }
        return (store, current)
    }

    private func settings<Request: QueryRequest>(for request: Request, _ identity: QueryIdentity) -> RequestSettings {
        let context = resolvedContext(for: request)
        return RequestSettings(request, context, previous: previousValue(for: identity, context))
    }

    /// The value of the request of the same type that was used last in this session; `nil` if that is this request, or if the request
    /// doesn't keep previous values.
    private func previousValue(for identity: QueryIdentity, _ context: QueryContext) -> AnyValue? {
        guard context.settings.keepsPrevious, let (previous, settings) = core.lookedAt(identity.family), previous.identity != identity,
            settings.context.owner === context.owner
        else { return nil }
        return previous.shown(previous.box, to: settings).current
    }

    /// Returns the store of a request, and gives it a value from elsewhere, such as your own cache. The date determines the age of the
    /// value.
    ///
    /// The value counts as a result: while it is fresh by the request's time to live, no run is needed. A date in the future counts as very
    /// old. If the store already has a result, the value is ignored.
    public func store<Request: QueryRequest>(
        for request: Request,
        initialValue: Request.Value,
        updatedAt date: Date
    ) -> QueryStore<Request.State> where Request.State.StateValue: ExpressibleByNilLiteral {
        let store = store(for: request)
        store.seed(initialValue, updatedAt: date)
        return store
    }

    /// The store of a request, if there is one. Creates nothing.
    func existingStore<Request: QueryRequest>(for request: Request) -> QueryStore<Request.State>? {
        guard let store = core.find(request.identity), store.typing.stateType == ObjectIdentifier(Request.State.self) else { return nil }
        return QueryStore(store, store.settings)
    }

    /// The stores that a pattern matches, in no particular order. The cost depends on the number of matches.
    public func stores(matching pattern: QueryPattern) -> [any AnyQueryStore] {
        core.stores(matching: pattern).map { $0.typing.handle($0, $0.settings) }
    }

    /// The stores that a pattern matches and whose state has this type.
    public func stores<State: QueryStateProtocol>(matching pattern: QueryPattern, of state: State.Type) -> [QueryStore<State>] {
        core.stores(matching: pattern).compactMap {
            $0.typing.stateType == ObjectIdentifier(State.self) ? QueryStore($0, $0.settings) : nil
        }
    }

    private func report(_ conflict: InlineSources.Conflict, _ path: QueryPath) {
        core.report(
            .inlineClosures,
            about: path.description,
            at: path,
            """
            The inline requests \(path) at \(conflict.former) and \(conflict.latter) have the same path and type, so they share one value, although \
            their closures differ. Give one of them another path, or create the request in one place and use it in both.
            """
        )
    }

    // MARK: Settings

    /// The client's context with defaults, setup and modifiers applied, in this order.
    func resolvedContext<Request: QueryRequest>(for request: Request) -> QueryContext {
        var context = self.context
        let owner = context.owner
        let defaults = core.configuration.defaults
        if !defaults.isEmpty {
            let path = request.path
            for item in defaults where item.pattern.matches(path) { item.apply(&context) }
        }
        request.setup(context: &context)
        // Even if the request sets another owner, its store belongs to this client and to the current session.
        if context.owner !== owner { context.owner = owner }
        if context.settings.isInline, core.mistakes != nil, let conflict = core.share.inline.takeConflict() {
            report(conflict, request.path)
        }
        return context
    }
}
