// The parts of Combine that QueryKit uses, with Apple's signatures and availability. Stubs only declare; they are never run.

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Cancellable {
    func cancel()
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct CombineIdentifier: Hashable, Sendable {
    public init() {}
    public init(_ object: AnyObject) {}
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol CustomCombineIdentifierConvertible {
    var combineIdentifier: CombineIdentifier { get }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public enum Subscribers {
    public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable {
        public static let unlimited = Demand()
        public static let none = Demand()
        public static func max(_ value: Int) -> Demand { Demand() }
        public static func < (left: Demand, right: Demand) -> Bool { false }
        public var max: Int? { nil }
    }

    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input
}
