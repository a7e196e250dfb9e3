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
    func begin(_ typing: any StateTyping, _ box: StateBox, _ initial: AnyValue?, _ context: QueryContext)
    /// - Parameter shown: The state, in a box that all handlers share: a copy for each would cost more than the calls.
    func receive(_ delivery: Delivery, _ shown: AnyValue, _ context: QueryContext)
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

    func begin(_ typing: any StateTyping, _ box: StateBox, _ initial: AnyValue?, _ context: QueryContext) {
        guard let changed = handler.onStateChanged else { return }
        // Invariant: a store and its subscribers have one type of state.
        changed(unsafeDowncast(typing, to: Typing<State>.self).state(box, initial: initial), context)
    }

    func receive(_ delivery: Delivery, _ shown: AnyValue, _ context: QueryContext) {
        delivery.call(handler, of: self, shown, context)
    }
}
