/// A part of the screen, drawn as lines of text.
@MainActor
@preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

/// A view that draws itself.
@MainActor
protocol Drawable {
    func lines(at place: Place) -> [String]
}

extension Never: View {
    public var body: Never { preconditionFailure("Never is drawn") }
}

extension View where Body == Never {
    public var body: Never { preconditionFailure("\(Self.self) draws itself") }
}

@MainActor
@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content> {
        TupleView(repeat each content)
    }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct Text: View, Drawable {
    private let text: String

    public nonisolated init(_ text: String) { self.text = text }

    func lines(at place: Place) -> [String] { [text] }
}

public struct TupleView<each Content: View>: View, Drawable {
    private let content: (repeat each Content)

    init(_ content: repeat each Content) { self.content = (repeat each content) }

    func lines(at place: Place) -> [String] {
        var lines: [String] = []
        var index = 0
        for view in repeat each content {
            lines += place.child("\(index)").draw(view)
            index += 1
        }
        return lines
    }
}

extension Optional: View, Drawable where Wrapped: View {
    public typealias Body = Never

    func lines(at place: Place) -> [String] { map { place.child("some").draw($0) } ?? [] }
}

private struct EnvironmentWriter<Content: View, Value>: View, Drawable {
    let content: Content
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let value: Value

    func lines(at place: Place) -> [String] {
        var inner = place.child("environment")
        inner.environment[keyPath: keyPath] = value
        return inner.draw(content)
    }
}

extension View {
    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        EnvironmentWriter(content: self, keyPath: keyPath, value: value)
    }
}
