/// A property wrapper with the name that libraries for dependencies use.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
    public let wrappedValue: Value

    public init(_ value: Value) { wrappedValue = value }
}

/// A protocol with a name that clients of servers use.
public protocol Mutation {
    var name: String { get }
}

/// An enum with a name that clients of servers use.
public enum Request: Sendable {
    case all
}
