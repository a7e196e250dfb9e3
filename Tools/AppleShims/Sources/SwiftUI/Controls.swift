/// Rows, one below the other.
public struct List<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("list").draw(content) }
}

/// One view per element, which keeps its state while the element is there.
public struct ForEach<Data: RandomAccessCollection, Content: View>: View, Drawable where Data.Element: Identifiable {
    private let data: Data
    private let content: (Data.Element) -> Content

    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        (self.data, self.content) = (data, content)
    }

    func lines(at place: Place) -> [String] { data.flatMap { place.child("\($0.id)").draw(content($0)) } }
}

/// Draws its title; nothing presses it.
public struct Button: View, Drawable {
    private let title: String
    private let action: @MainActor () -> Void

    public init(_ title: String, action: @escaping @MainActor () -> Void) { (self.title, self.action) = (title, action) }

    func lines(at place: Place) -> [String] { ["[\(title)]"] }
}

extension View {
    /// Nothing pulls the view.
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }
}
