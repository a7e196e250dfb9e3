/// Sends elements to those who subscribe.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

/// Receives elements, as many as it asked for.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Cancellable {
    func cancel()
}

/// What joins a publisher and a subscriber.
public protocol Subscription: Cancellable, AnyObject {
    func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
    /// How many elements a subscriber is ready for.
    public struct Demand: Equatable, Sendable {
        /// `nil` for any number.
        public let max: Int?

        public static let unlimited = Demand(max: nil)
        public static let none = Demand(max: 0)

        public static func max(_ value: Int) -> Demand { Demand(max: value) }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}
