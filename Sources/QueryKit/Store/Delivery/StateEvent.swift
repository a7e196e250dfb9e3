/// What has happened to a state, as handlers hear of it.
struct StateEvent: Sendable {
    let changes: StateChanges
    let state: StateBox
    /// The result that came, if one did.
    let result: Result<AnyValue, any Error>?

    /// Calls the closures of a handler that have something to hear, as long as its subscriber, if it has one, wants to.
    @inline(__always)
    func call<State>(
        _ handler: QueryEventHandler<State>,
        of subscriber: (any Subscriber)?,
        _ shown: ShownState,
        _ context: QueryContext
    ) {
        var isWanted: Bool { subscriber?.isCancelled != true }
        if changes.contains(.fetchingStarted), let started = handler.onFetchingStarted, isWanted { started(context) }
        let hears = changes.contains(.state) || changes.contains(.equalState) && context.settings.notifiesEqual
        if hears, let changed = handler.onStateChanged, isWanted { changed(shown.state(), context) }
        if changes.contains(.result), let received = handler.onResultReceived, isWanted { handResult(to: received, context) }
        if changes.contains(.fetchingEnded), let ended = handler.onFetchingEnded, isWanted { ended(context) }
    }

    /// Apart from `call`, because few handlers want it and the types of a result are looked up at run time.
    @inline(never)
    private func handResult<Value>(to receive: @Sendable (Result<Value, any Error>, QueryContext) -> Void, _ context: QueryContext) {
        guard let result else { return }
        receive(result.map { $0.unboxed(as: Value.self) }, context)
    }
}

/// Which of a handler's closures have something to hear.
struct StateChanges: OptionSet, Sendable {
    let rawValue: UInt8
    static let state = StateChanges(rawValue: 1)
    static let fetchingStarted = StateChanges(rawValue: 2)
    static let fetchingEnded = StateChanges(rawValue: 4)
    static let result = StateChanges(rawValue: 8)
    /// A value came that equals the one before: only some want to hear of that.
    static let equalState = StateChanges(rawValue: 16)
}
