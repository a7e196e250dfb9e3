/// A property of a view that is updated before the view is drawn.
public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A property that the host connects to the state it stores for the view.
@MainActor
protocol Connectable {
    func connect(at place: Place)
}
