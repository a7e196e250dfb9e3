/// What one change of a store has to tell: to its handlers first, then to the client, then to those who wait for the result.
struct Delivery<State: QueryStateProtocol>: Sendable {
    var number = 0
    var changes: StateChanges
    let state: State
    let context: QueryContext
    /// The result that came, if one did.
    var result: Result<State.QueryValue, any Error>?
    /// What the client is to know once the handlers have heard.
    var activity: StoreActivity?
    var work = 0
    /// Who is resumed at the end, and with what.
    var waiters: [Waiter<State.QueryValue>] = []
    var outcome: Result<State.QueryValue, any Error>?

    @inline(__always)
    func call(_ handler: QueryEventHandler<State>) {
        if changes == .state {
            handler.onStateChanged?(state, context)
            return
        }
        if changes.contains(.fetchingStarted) { handler.onFetchingStarted?(context) }
        if changes.contains(.state) { handler.onStateChanged?(state, context) }
        if changes.contains(.result), let result { handler.onResultReceived?(result, context) }
        if changes.contains(.fetchingEnded) { handler.onFetchingEnded?(context) }
    }

    /// Tells the handlers that the request itself brought along.
    func callRequestHandlers() {
        for handler in context.settings.handlers {
            if let handler = handler as? QueryEventHandler<State> { call(handler) }
        }
    }

    func resumeWaiters() {
        guard let outcome else { return }
        for waiter in waiters { waiter.continuation.resume(with: outcome) }
    }
}

/// Which of a handler's closures have something to hear.
struct StateChanges: OptionSet, Sendable {
    let rawValue: UInt8
    static let state = StateChanges(rawValue: 1)
    static let fetchingStarted = StateChanges(rawValue: 2)
    static let fetchingEnded = StateChanges(rawValue: 4)
    static let result = StateChanges(rawValue: 8)
}

/// A caller that waits for a run.
struct Waiter<Value: Sendable>: Sendable {
    let id: UInt64
    /// The run it waits for, or ``RunMachine/following``.
    var run: Int32
    let continuation: CheckedContinuation<Value, any Error>
}
