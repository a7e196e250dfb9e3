/// One handler of one store, and whether it still wants to hear.
final class Subscriber<State: QueryStateProtocol>: Sendable {
    let handler: QueryEventHandler<State>
    /// Raised by cancellation, and read before each call: after `cancel()` returned, no further call begins.
    let isCancelled = Flag()
    /// Whether it counts as somebody who looks: a subscription does, a handler that accompanies one fetch does not.
    let isObserver: Bool

    init(_ handler: QueryEventHandler<State>, isObserver: Bool) {
        self.handler = handler
        self.isObserver = isObserver
    }

    @inline(__always)
    func receive(_ delivery: Delivery<State>) {
        if !isCancelled.isRaised { delivery.call(handler) }
    }
}
