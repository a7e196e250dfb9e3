/// A value that exists longer than the view: the host stores it as long as the view is at its place.
@propertyWrapper
public struct State<Value>: DynamicProperty {
    final class Box {
        var value: Value
        var onChange: (() -> Void)?

        init(_ value: Value) { self.value = value }
    }

    /// Shared by all copies of a view value, so that connecting one copy connects all.
    private final class Link {
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
}

extension State: Connectable {
    func connect(at place: Place) {
        link.box = place.kept { link.box }
        link.box.onChange = place.invalidate
    }
}
