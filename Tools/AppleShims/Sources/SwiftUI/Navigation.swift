/// The path of a stack that keeps it itself.
public struct NavigationPath {}

/// A stack of screens. Draws the screen of the last element of its path; without a path, or if that is empty, its root.
public struct NavigationStack<Data, Root: View>: View, Drawable {
    private let top: @MainActor () -> AnyHashable?
    private let root: Root

    public init(@ViewBuilder root: () -> Root) where Data == NavigationPath { (top, self.root) = ({ nil }, root()) }

    public init(
        path: Binding<Data>,
        @ViewBuilder root: () -> Root
    ) where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {
        top = { path.wrappedValue.last.map { AnyHashable($0) } }
        self.root = root()
    }

    func lines(at place: Place) -> [String] {
        var place = place.child("navigation")
        place.environment[TopScreenKey.self] = top()
        return place.draw(root)
    }
}

private enum TopScreenKey: EnvironmentKey {
    static var defaultValue: AnyHashable? { nil }
}

private struct NavigationDestination<Content: View, Value: Hashable, Destination: View>: View, Drawable {
    let content: Content
    let destination: (Value) -> Destination

    func lines(at place: Place) -> [String] {
        guard let value = place.environment[TopScreenKey.self]?.base as? Value else { return place.child("root").draw(content) }
        return place.child("screen").draw(destination(value))
    }
}

extension View {
    /// The screen for elements of a type in the path of the stack. Here it must be the outermost modifier of the root that draws something.
    public func navigationDestination<Value: Hashable, Destination: View>(
        for value: Value.Type,
        @ViewBuilder destination: @escaping (Value) -> Destination
    ) -> some View {
        NavigationDestination(content: self, destination: destination)
    }
}
