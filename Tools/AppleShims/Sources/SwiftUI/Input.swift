/// Views from top to bottom.
public struct VStack<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("stack").draw(content) }
}

/// A spinner.
public struct ProgressView: View, Drawable {
    public init() {}

    func lines(at place: Place) -> [String] { ["…"] }
}

/// Draws its title and its text; nothing types into it.
public struct TextField: View, Drawable {
    private let title: String
    private let text: Binding<String>

    public init(_ title: String, text: Binding<String>) { (self.title, self.text) = (title, text) }

    func lines(at place: Place) -> [String] { ["\(title): \(text.wrappedValue)"] }
}

extension View {
    /// Only compiled: the host doesn't start the task.
    public nonisolated func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { self }
}
