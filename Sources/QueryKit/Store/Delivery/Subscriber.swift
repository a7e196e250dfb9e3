/// One handler of one store, and whether it was cancelled.
protocol Subscriber: AnyObject, Sendable {
    /// Whether it counts as an observer. A subscription does; a handler that is passed to one fetch doesn't.
    var isObserver: Bool { get }
    /// Its number among the subscribers of its store, which is used to find it.
    var number: UInt32 { get }
    /// Whether the handler must not be called any more. Read before each call.
    var isCancelled: Bool { get }
    /// Cancels the subscriber. Returns `true` only for the first call.
    func markCancelled() -> Bool
    /// Calls the handler with the subscriber's first state.
    func begin(_ typing: any StateTyping, _ box: StateBox, _ context: QueryContext)
    func receive(_ event: StateEvent, _ shown: ShownState, _ context: QueryContext)
}

/// The typed state for a handler, created when the handler uses it.
struct ShownState {
    let typing: any StateTyping
    let box: StateBox
    /// The state that several handlers share, because creating one for each would cost more than the calls.
    var shared: AnyValue?

    func state<State: QueryStateProtocol>() -> State {
        if let shared { return shared.unboxed(as: State.self) }
        // Invariant: a store and its subscribers have one type of state.
        return unsafeDowncast(typing, to: Typing<State>.self).state(box)
    }
}

final class HandlingSubscriber<State: QueryStateProtocol>: Subscriber {
    let isObserver: Bool
    let number: UInt32
    private let handler: QueryEventHandler<State>
    private let cancelled = Flag()

    init(_ handler: QueryEventHandler<State>, isObserver: Bool, number: UInt32) {
        self.handler = handler
        self.isObserver = isObserver
        self.number = number
    }

    var isCancelled: Bool { cancelled.isRaised }

    func markCancelled() -> Bool { cancelled.raise() }

    func begin(_ typing: any StateTyping, _ box: StateBox, _ context: QueryContext) {
        guard let changed = handler.onStateChanged else { return }
        // Invariant: a store and its subscribers have one type of state.
        changed(unsafeDowncast(typing, to: Typing<State>.self).state(box), context)
    }

    func receive(_ event: StateEvent, _ shown: ShownState, _ context: QueryContext) {
        event.call(handler, of: self, shown, context)
    }
}
