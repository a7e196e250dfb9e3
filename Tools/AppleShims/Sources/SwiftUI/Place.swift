import Observation

/// The place of a view: the path under which its state is stored, and the values it inherits.
@MainActor
struct Place {
    private let keeper: Keeper
    private let path: String
    var environment = EnvironmentValues()

    init(_ keeper: Keeper, path: String = "") {
        self.keeper = keeper
        self.path = path
    }

    func child(_ name: String) -> Place {
        var child = Place(keeper, path: "\(path)/\(name)")
        child.environment = environment
        return child
    }

    /// The value stored at this place, or the result of `make`, which is then stored.
    func kept<Object: AnyObject>(_ make: () -> Object) -> Object { keeper.object(at: path, make) }

    /// Makes a button with these lines pressable until the next drawing.
    func offer(_ action: @escaping @MainActor () -> Void, at lines: [String]) { keeper.actions[lines.joined()] = action }

    var invalidate: () -> Void {
        { [weak keeper] in
            // Apple's implementation only warns, and may miss the change.
            MainActor.preconditionIsolated("A view was changed off the main actor")
            MainActor.assumeIsolated { keeper?.invalidate() }
        }
    }

    /// Connects the properties of a view, and draws it. Changes to observable objects that it reads invalidate the host.
    func draw<Content: View>(_ view: Content) -> [String] {
        if let view = view as? any Drawable { return view.lines(at: self) }
        let place = child("\(Content.self)")
        place.connect(view)
        let body = withObservationTracking {
            view.body
        } onChange: { [weak keeper] in
            MainActor.preconditionIsolated("A view was changed off the main actor")
            MainActor.assumeIsolated { keeper?.invalidate() }
        }
        return place.child("body").draw(body)
    }

    /// Connects and updates the dynamic properties of a view or of another property.
    private func connect(_ owner: Any) {
        for (index, property) in Mirror(reflecting: owner).children.enumerated() {
            guard var property = property.value as? any DynamicProperty else { continue }
            let place = child("#\(index)")
            if let property = property as? any Connectable { property.connect(at: place) } else { place.connect(property) }
            property.update()
        }
    }
}

/// The state that a host stores between two drawings.
@MainActor
final class Keeper {
    private var objects: [String: AnyObject] = [:]
    private var used: Set<String> = []
    /// The actions of the buttons that are drawn, by their labels.
    var actions: [String: @MainActor () -> Void] = [:]
    private let onChange: () -> Void

    init(onChange: @escaping () -> Void) { self.onChange = onChange }

    func invalidate() { onChange() }

    func object<Object: AnyObject>(at path: String, _ make: () -> Object) -> Object {
        used.insert(path)
        if let object = objects[path] as? Object { return object }
        let object = make()
        objects[path] = object
        return object
    }

    /// Draws, and removes the state of views that no longer exist.
    func draw(_ drawing: () -> [String]) -> [String] {
        (used, actions) = ([], [:])
        defer { objects = objects.filter { used.contains($0.key) } }
        return drawing()
    }
}
