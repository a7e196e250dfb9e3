/// One handler of one store, and whether it still wants to hear.
protocol Subscriber: AnyObject, Sendable {
    /// Whether it counts as somebody who looks: a subscription does, a handler that accompanies one fetch does not.
    var isObserver: Bool { get }
    /// Its place among the subscribers of its store, by which it is found again.
    var number: UInt32 { get }
    /// Read before each call of the handler.
    var isCancelled: Bool { get }
    /// Says that it wants to hear no more; true for the one call that did.
    func markCancelled() -> Bool
    /// Shows the state with which the subscriber begins.
    func begin(_ typing: any StateTyping, _ box: StateBox, _ context: QueryContext)
    func receive(_ event: StateEvent, _ shown: ShownState, _ context: QueryContext)
}

/// A state as a handler sees it, made when the handler wants it.
struct ShownState {
    let typing: any StateTyping
    let box: StateBox
    /// The state, for several handlers that share it: to make one for each would cost more than the calls.
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
