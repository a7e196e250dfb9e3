/// Reads and writes a value that is stored elsewhere.
///
/// Apple's type accepts closures of any isolation and calls them on the main actor; here they must be declared as isolated to it.
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value>: DynamicProperty {
    private let get: @MainActor @Sendable () -> Value
    private let set: @MainActor @Sendable (Value) -> Void

    public init(get: @escaping @MainActor @Sendable () -> Value, set: @escaping @MainActor @Sendable (Value) -> Void) {
        self.get = get
        self.set = set
    }

    @MainActor public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    @MainActor
    public subscript<Member>(
        dynamicMember keyPath: any WritableKeyPath<Value, Member> & Sendable
    ) -> Binding<Member> {
        Binding<Member> {
            self.get()[keyPath: keyPath]
        } set: { member in
            var value = self.get()
            value[keyPath: keyPath] = member
            self.set(value)
        }
    }
}
