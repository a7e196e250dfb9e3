/// Views from top to bottom.
public struct VStack<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("stack").draw(content) }
}

/// Views without a container.
public struct Group<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("group").draw(content) }
}

/// Rows with controls.
public struct Form<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("form").draw(content) }
}

/// Rows under a title.
public struct Section<Content: View>: View, Drawable {
    private let title: String?
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { (title, self.content) = (nil, content()) }

    public init(_ title: String, @ViewBuilder content: () -> Content) { (self.title, self.content) = (title, content()) }

    func lines(at place: Place) -> [String] { (title.map { ["# \($0)"] } ?? []) + place.child("section").draw(content) }
}

/// Screens with tabs. All of them are drawn.
public struct TabView<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("tabs").draw(content) }
}

/// A title and a symbol, of which the title is drawn.
public struct Label: View, Drawable {
    private let title: String

    public init(_ title: String, systemImage: String) { self.title = title }

    func lines(at place: Place) -> [String] { [title] }
}

/// A name and its value.
public struct LabeledContent<Label: View, Content: View>: View, Drawable {
    private let label: Label
    private let content: Content

    public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
        (self.label, self.content) = (label(), content())
    }

    func lines(at place: Place) -> [String] {
        let label = place.child("label").draw(label).joined(separator: ", ")
        return ["\(label): \(place.child("content").draw(content).joined(separator: ", "))"]
    }
}

extension LabeledContent where Label == Text {
    public init(_ title: String, @ViewBuilder content: () -> Content) { self.init(content: content) { Text(title) } }
}

extension LabeledContent where Label == Text, Content == Text {
    public init(_ title: String, value: String) { self.init(title) { Text(value) } }
}

/// Says that there is nothing to show.
public struct ContentUnavailableView: View, Drawable {
    private let title: String

    public init(_ title: String, systemImage: String) { self.title = title }

    func lines(at place: Place) -> [String] { ["(\(title))"] }
}

/// One of two views.
public struct EitherView<First: View, Second: View>: View, Drawable {
    enum Content {
        case first(First)
        case second(Second)
    }

    let content: Content

    func lines(at place: Place) -> [String] {
        switch content {
        case .first(let view): place.child("first").draw(view)
        case .second(let view): place.child("second").draw(view)
        }
    }
}

extension ViewBuilder {
    public static func buildEither<First: View, Second: View>(first: First) -> EitherView<First, Second> {
        EitherView(content: .first(first))
    }

    public static func buildEither<First: View, Second: View>(second: Second) -> EitherView<First, Second> {
        EitherView(content: .second(second))
    }
}
