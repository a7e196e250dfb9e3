/// A change of a state, for handlers.
struct StateEvent: Sendable {
    let changes: StateChanges
    let state: StateBox
    /// The new result, if there is one.
    let result: Result<AnyValue, any Error>?

    /// Calls those closures of a handler that the event concerns, until its subscriber, if there is one, is cancelled.
    @inline(__always)
    func call<State>(
        _ handler: QueryEventHandler<State>,
        of subscriber: (any Subscriber)?,
        _ shown: ShownState,
        _ context: QueryContext
    ) {
        var isWanted: Bool { subscriber?.isCancelled != true }
        if changes.contains(.fetchingStarted), let started = handler.onFetchingStarted, isWanted { started(context) }
        let isNotified = changes.contains(.state) || changes.contains(.equalState) && context.settings.notifiesEqual
        if isNotified, let changed = handler.onStateChanged, isWanted { changed(shown.state(), context) }
        if changes.contains(.result), let received = handler.onResultReceived, isWanted { handResult(to: received, context) }
        if changes.contains(.fetchingEnded), let ended = handler.onFetchingEnded, isWanted { ended(context) }
    }

    /// Not inlined, because few handlers need it, and the types of a result are looked up at run time.
    @inline(never)
    private func handResult<Value>(to receive: @Sendable (Result<Value, any Error>, QueryContext) -> Void, _ context: QueryContext) {
        guard let result else { return }
        receive(result.map { $0.unboxed(as: Value.self) }, context)
    }
}

/// The parts of a state that have changed, which determine the closures of a handler to call.
struct StateChanges: OptionSet, Sendable {
    let rawValue: UInt8
    static let state = StateChanges(rawValue: 1)
    static let fetchingStarted = StateChanges(rawValue: 2)
    static let fetchingEnded = StateChanges(rawValue: 4)
    static let result = StateChanges(rawValue: 8)
    /// A new value equals the one before. Only handlers with `notifyEqual` are notified.
    static let equalState = StateChanges(rawValue: 16)
    /// The state with which an observer begins.
    static let first = StateChanges(rawValue: 32)
}
