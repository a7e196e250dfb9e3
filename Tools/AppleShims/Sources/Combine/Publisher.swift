/// Sends elements to subscribers.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

/// Receives as many elements as it has requested.
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

/// The connection between a publisher and a subscriber.
public protocol Subscription: Cancellable, AnyObject {
    func request(_ demand: Subscribers.Demand)
}

public enum Subscribers {
    /// The number of elements that a subscriber accepts.
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
