/// One handler of one store, and whether it still wants to hear.
// Invariant: immutable but for its flag, and the one subclass adds a Sendable handler.
class Subscriber: @unchecked Sendable {
    /// Raised by cancellation, and read before each call.
    let isCancelled = Flag()
    /// Whether it counts as somebody who looks: a subscription does, a handler that accompanies one fetch does not.
    let isObserver: Bool

    fileprivate init(isObserver: Bool) { self.isObserver = isObserver }

    func receive(_ delivery: Delivery) { preconditionFailure("A subscriber without a handler") }
}

// Invariant: the handler is immutable and Sendable.
final class HandlingSubscriber<State: QueryStateProtocol>: Subscriber, @unchecked Sendable {
    private let handler: QueryEventHandler<State>

    init(_ handler: QueryEventHandler<State>, isObserver: Bool) {
        self.handler = handler
        super.init(isObserver: isObserver)
    }

    override func receive(_ delivery: Delivery) {
        delivery.call(handler, of: self)
    }
}
