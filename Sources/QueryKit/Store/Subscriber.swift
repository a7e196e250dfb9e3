/// One handler of one store, and whether it still wants to hear.
// Invariant: immutable but for its flag, and the one subclass adds a Sendable handler.
class Subscriber: @unchecked Sendable {
    /// Raised by cancellation, and read before each call.
    let isCancelled = Flag()
    /// Whether it counts as somebody who looks: a subscription does, a handler that accompanies one fetch does not.
    let isObserver: Bool
    /// Its place among the subscribers of its store, by which it is found again.
    let number: UInt32

    fileprivate init(isObserver: Bool, number: UInt32) {
        self.isObserver = isObserver
        self.number = number
    }

    /// Shows the state with which the subscriber begins.
    func begin(_ typing: any StateTyping, _ box: StateBox, _ initial: (any Sendable)?, _ context: QueryContext) {
        preconditionFailure("A subscriber without a handler")
    }

    func receive(_ delivery: Delivery, _ shown: AnyShownState, _ context: QueryContext) {
        preconditionFailure("A subscriber without a handler")
    }
}

// Invariant: the handler is immutable and Sendable.
final class HandlingSubscriber<State: QueryStateProtocol>: Subscriber, @unchecked Sendable {
    private let handler: QueryEventHandler<State>

    init(_ handler: QueryEventHandler<State>, isObserver: Bool, number: UInt32) {
        self.handler = handler
        super.init(isObserver: isObserver, number: number)
    }

    override func begin(_ typing: any StateTyping, _ box: StateBox, _ initial: (any Sendable)?, _ context: QueryContext) {
        guard let changed = handler.onStateChanged else { return }
        // Invariant: a store and its subscribers have one type of state.
        changed(State(box, initialValue: unsafeDowncast(typing, to: Typing<State>.self).initialValue(initial)), context)
    }

    override func receive(_ delivery: Delivery, _ shown: AnyShownState, _ context: QueryContext) {
        // Invariant: a store, its subscribers and what it shows them have one type of state.
        delivery.call(handler, of: self, unsafeDowncast(shown, to: ShownState<State>.self), context)
    }
}

/// The state of a delivery, made once and shown to all handlers where it lies: a copy for each would cost more than the calls.
class AnyShownState {}

final class ShownState<State: QueryStateProtocol>: AnyShownState {
    private let state: State

    init(_ state: State) { self.state = state }

    @inline(__always)
    func show(to handler: QueryEventHandler<State>, _ context: QueryContext) { handler.onStateChanged?(state, context) }
}
