/// What observers receive, with the types of their request.
extension Handle {
    /// A state as the settings of this handle show it: without a value and a failure, with their placeholder.
    func shown(_ state: StateBox) -> StateBox { settings.shown(state, by: entry.typing) }

    /// The typing of the request's state.
    func typing<State: QueryStateProtocol>(as type: State.Type) -> Typing<State> {
        guard let typing = entry.typing else { preconditionFailure("A handle has the type of its state") }
        // Invariant: the entry of a handle has the typing of its request.
        return unsafeDowncast(typing, to: Typing<State>.self)
    }
}

extension Settings {
    func shown(_ state: StateBox, by typing: (any StateTyping)?) -> StateBox {
        let state = state.shown
        guard state.current == nil, state.record.errorCount == 0, let maker = app?.context.settings.placeholder else { return state }
        guard let placeholder = Scope.outside({ typing?.placeholder(maker) }) else { return state }
        var record = state.record
        record.flags.insert(.placeholder)
        return StateBox(record: record, current: placeholder, byteCount: 0)
    }
}

extension QueryEventHandler {
    /// Calls the closures of a handler that a publication concerns.
    func take(_ publication: Publication, _ context: QueryContext, _ typing: Typing<State>) {
        let changes = publication.changes
        if changes.contains(.fetchingStarted) { onFetchingStarted?(context) }
        if changes.contains(.state) || changes.contains(.equalState) && context.settings.notifiesEqual {
            onStateChanged?(typing.state(publication.state), context)
        }
        if changes.contains(.result), let result = publication.result {
            onResultReceived?(result.map { $0.unboxed(as: State.QueryValue.self) }, context)
        }
        if changes.contains(.fetchingEnded) { onFetchingEnded?(context) }
    }
}

extension Typing {
    /// Calls the handlers among the settings of a request.
    fileprivate func notify(_ handlers: [any Sendable], _ publication: Publication, _ context: QueryContext) {
        for handler in handlers { (handler as? QueryEventHandler<State>)?.take(publication, context, self) }
    }
}

extension Engine {
    /// Subscribes a handler, and the handlers among the settings of the request.
    func subscribe<State: QueryStateProtocol>(
        _ handle: Handle,
        _ handler: QueryEventHandler<State>,
        observes: Bool
    ) -> QuerySubscription {
        let typing = handle.typing(as: State.self)
        return subscribe(handle, observes: observes) { publication, settings in
            guard let context = settings.app?.context else { return }
            var publication = publication
            publication.state = settings.shown(publication.state, by: typing)
            handler.take(publication, context, typing)
            let isFirst = publication.changes.contains(.first)
            if observes, !isFirst { typing.notify(context.settings.handlers, publication, context) }
        }
    }
}
