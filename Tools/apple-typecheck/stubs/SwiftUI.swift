// The parts of SwiftUI that QueryKit uses, with Apple's signatures, isolation and availability. Stubs only declare; they are never run.

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol DynamicProperty {
    mutating func update()
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension DynamicProperty {
    public mutating func update() {}
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper
public struct State<Value>: DynamicProperty {
    public init(wrappedValue value: Value) { fatalError() }
    public init(initialValue value: Value) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension State: Sendable where Value: Sendable {}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
    @preconcurrency
    public init(get: @escaping @isolated(any) @Sendable () -> Value, set: @escaping @isolated(any) @Sendable (Value) -> Void) {
        fatalError()
    }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
public struct EnvironmentValues {
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { fatalError() }
        set {}
    }
}

@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { fatalError() }
}
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, *)
extension Environment: Sendable where Value: Sendable {}
