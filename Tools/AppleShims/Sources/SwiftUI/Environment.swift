/// The key of one value of the environment.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

/// The values that views inherit from their parents.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]

    public init() {}

    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

/// One value of the environment of a view.
@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private final class Link {
        var values = EnvironmentValues()
    }

    private let link = Link()
    private let keyPath: KeyPath<EnvironmentValues, Value>

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }

    public var wrappedValue: Value { link.values[keyPath: keyPath] }
}

extension Environment: Connectable {
    func connect(at place: Place) { link.values = place.environment }
}
