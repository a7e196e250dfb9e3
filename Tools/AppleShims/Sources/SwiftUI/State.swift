/// A value that exists longer than the view: the host stores it as long as the view is at its place.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    final class Box {
        var value: Value
        var onChange: (() -> Void)?

        init(_ value: Value) { self.value = value }
    }

    /// Shared by all copies of a view value, so that connecting one copy connects all.
    // Invariant: views are created, drawn and changed on the main actor alone.
    private final class Link: @unchecked Sendable {
        var box: Box

        init(_ box: Box) { self.box = box }
    }

    private let link: Link

    public init(wrappedValue: Value) { link = Link(Box(wrappedValue)) }

    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    public var wrappedValue: Value {
        get { link.box.value }
        nonmutating set {
            link.box.value = newValue
            link.box.onChange?()
        }
    }

    public var projectedValue: Binding<Value> {
        Binding { [link] in
            link.box.value
        } set: { [link] value in
            link.box.value = value
            link.box.onChange?()
        }
    }
}

extension State: Connectable {
    func connect(at place: Place) {
        link.box = place.kept { link.box }
        link.box.onChange = place.invalidate
    }
}
