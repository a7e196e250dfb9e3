public import Observation

/// Makes bindings to the properties of an observable object.
///
/// Apple's type is not isolated; here its bindings can be made only on the main actor, where every view makes them.
@dynamicMemberLookup
@propertyWrapper
public struct Bindable<Value> {
    public var wrappedValue: Value

    public init(wrappedValue: Value) where Value: AnyObject & Observable { self.wrappedValue = wrappedValue }

    public var projectedValue: Bindable<Value> { self }

    @MainActor
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> where Value: AnyObject {
        let object = wrappedValue
        return Binding { @MainActor in
            object[keyPath: keyPath]
        } set: { @MainActor in
            object[keyPath: keyPath] = $0
        }
    }
}
