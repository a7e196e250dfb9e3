/// A property of a view that gets its content before the view is drawn.
public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A property that the host itself connects to what it keeps for the view.
@MainActor
protocol Connectable {
    func connect(at place: Place)
}
