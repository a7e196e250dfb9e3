/// The settings of requests, which setup and modifiers make: code of the app, so they are made outside the lock.
extension Engine {
    /// The settings of a request in a session.
    func make<Request: QueryRequest>(_ request: Request, in session: Session) -> Settings {
        var context = session.context
        if !defaults.isEmpty {
            let path = request.path
            for (pattern, apply) in defaults where pattern.matches(path) { apply(&context) }
        }
        request.setup(context: &context)
        // Even if the request sets another owner, it belongs to this client and to this session.
        if context.owner !== session.context.owner { context.owner = session.context.owner }
        return Settings(request, context, session: session.number)
    }

    /// Makes settings of a former session again.
    func make(_ former: Settings, in session: Session) -> Settings {
        guard let request = former.app?.request else { preconditionFailure("Settings without a request can't be made again") }
        return make(request, in: session)
    }

    /// The settings of a request with another context, which keeps client and session. A context of a session that has ended is refused.
    func make(_ settings: Settings, in context: QueryContext, at entry: Entry) throws -> Settings {
        guard let app = settings.app else { return settings }
        var context = context
        if let owner = context.owner, owner === app.context.owner ? owner.isEnded : owner.object == nil {
            throw QueryError(.sessionEnded, path: entry.path)
        }
        (context.owner, context.session) = (app.context.owner, app.context.session)
        return Settings(app.request, context, session: settings.session)
    }
}

extension Settings {
    convenience init(_ app: RequestSettings) { self.init(app.request, app.context) }

    convenience init(_ request: any QueryRequest, _ context: QueryContext, session: UInt32 = 1) {
        self.init(request, context, session, Self.modifiers(of: request), Self.rest(of: request, context, session))
    }

    private convenience init(
        _ request: any QueryRequest,
        _ context: QueryContext,
        _ session: UInt32,
        _ modifiers: Modifiers,
        _ rest: Settings?
    ) {
        let own = context.settings
        self.init(
            session: session,
            ttl: own.span,
            retention: own.retention.map { Nanoseconds($0) },
            timeout: own.timeout.map { Nanoseconds($0) },
            networkMode: own.networkMode,
            abandonment: own.abandonment,
            tags: Set(own.tags),
            triggers: own.triggers,
            isConsistent: own.isConsistent,
            notifiesEqual: own.notifiesEqual,
            // A private run of a stream would end late or never.
            isDeduplicated: own.isDeduplicated || request.unwrapped is any StreamRequest,
            isConditional: !own.conditions.isEmpty,
            isStream: request.unwrapped is any StreamRequest,
            app: App(request: request, context: context),
            modifiers: modifiers,
            rest: rest
        )
    }

    // MARK: What an entry keeps

    private static func rest(of request: some QueryRequest, _ context: QueryContext, _ session: UInt32) -> Settings? {
        guard context.settings.isInline || !context.settings.handlers.isEmpty || context.settings.computedTags != nil else { return nil }
        var context = context
        context.settings.handlers = []
        context.settings.computedTags = nil
        guard context.settings.isInline else { return Settings(request, context, session, .opaque, nil) }
        // The library starts a run only while another closure is known.
        context.settings.conditions.append(.closure(of: request.identity))
        return Settings(request.releasingClosure, context, session, .opaque, nil)
    }

    // MARK: Equal settings

    private static func modifiers<Request: QueryRequest>(of request: Request) -> Modifiers {
        let (identity, type) = (request.identity, ObjectIdentifier(Request.self))
        if identity.type == type { return .none(type) }
        // A wrapper around a modified request has the identity of that request, but settings of its own.
        return identity.adjustment.flatMap { $0.request == type ? .comparable(.init($0)) : nil } ?? .opaque
    }

    /// Whether another one of these requests can keep them for later.
    var isShareable: Bool { if case .opaque = modifiers { false } else { kept === self } }

    /// Whether an equal request of this type would get the same settings.
    func fit(_ identity: QueryIdentity, of type: ObjectIdentifier) -> Bool {
        switch modifiers {
        case .opaque: false
        case .none(let own): own == type && identity.type == type
        case .comparable(let own): identity.adjustment?.isSame(as: own) ?? false
        }
    }

    func fit(_ other: Settings) -> Bool {
        switch (modifiers, other.modifiers) {
        case (.none(let own), .none(let other)): own == other
        case (.comparable(let own), .comparable(let other)): own.isSame(as: other)
        case (.opaque, _), (.none, _), (.comparable, _): false
        }
    }
}
