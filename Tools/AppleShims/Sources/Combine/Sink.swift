/// Ends a subscription when it is cancelled or released.
public final class AnyCancellable: Cancellable {
    private var action: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) { action = cancel }

    public func cancel() {
        let last = action
        action = nil
        last?()
    }

    deinit { cancel() }
}

extension Publisher where Failure == Never {
    /// Calls a closure with all elements.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        let sink = Sink<Output>(receiveValue)
        receive(subscriber: sink)
        return AnyCancellable { sink.cancel() }
    }
}

private final class Sink<Input>: Subscriber {
    typealias Failure = Never

    private let receiveValue: (Input) -> Void
    private var subscription: (any Subscription)?

    init(_ receiveValue: @escaping (Input) -> Void) { self.receiveValue = receiveValue }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        subscription.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        receiveValue(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {}

    func cancel() {
        subscription?.cancel()
        subscription = nil
    }
}
