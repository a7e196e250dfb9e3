public import Foundation

/// Rows, one below the other.
public struct List<Content: View>: View, Drawable {
    private let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("list").draw(content) }
}

/// One view per element, which keeps its state while the element is there.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View, Drawable {
    private let data: Data
    private let id: (Data.Element) -> ID
    private let content: (Data.Element) -> Content

    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        (self.data, self.content) = (data, content)
        self.id = { $0[keyPath: id] }
    }

    func lines(at place: Place) -> [String] { data.flatMap { place.child("\(id($0))").draw(content($0)) } }
}

extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data, id: \.id, content: content)
    }
}

/// What a button does, for the system.
public struct ButtonRole: Equatable, Sendable {
    private let name: String

    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}

/// Draws its label. ``ViewHost/press(_:)`` presses it.
public struct Button<Label: View>: View, Drawable {
    private let label: Label
    private let action: @MainActor () -> Void

    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
        (self.label, self.action) = (label(), action)
    }

    func lines(at place: Place) -> [String] {
        let lines = place.child("label").draw(label).map { "[\($0)]" }
        place.offer(action, at: lines)
        return lines
    }
}

extension Button where Label == Text {
    public init(_ title: String, action: @escaping @MainActor () -> Void) { self.init(action: action) { Text(title) } }

    public init(_ title: String, role: ButtonRole?, action: @escaping @MainActor () -> Void) { self.init(title, action: action) }
}

extension Button where Label == SwiftUI.Label {
    public init(_ title: String, systemImage: String, action: @escaping @MainActor () -> Void) {
        self.init(action: action) { SwiftUI.Label(title, systemImage: systemImage) }
    }
}

/// Draws its title and its text; nothing types into it.
public struct TextField: View, Drawable {
    private let title: String
    private let text: @MainActor () -> String

    public init(_ title: String, text: Binding<String>) {
        self.title = title
        self.text = { text.wrappedValue }
    }

    public init<Format: ParseableFormatStyle>(
        _ title: String,
        value: Binding<Format.FormatInput>,
        format: Format
    ) where Format.FormatOutput == String {
        self.title = title
        text = { format.format(value.wrappedValue) }
    }

    func lines(at place: Place) -> [String] { ["\(title) \"\(text())\""] }
}

/// Draws its title and its choices; nothing chooses one.
public struct Picker<SelectionValue: Hashable, Content: View>: View, Drawable {
    private let title: String
    private let content: Content

    public init(_ title: String, selection: Binding<SelectionValue>, @ViewBuilder content: () -> Content) {
        (self.title, self.content) = (title, content())
    }

    func lines(at place: Place) -> [String] { ["\(title) <\(place.child("picker").draw(content).joined(separator: ", "))>"] }
}

/// Draws its title; nothing switches it.
public struct Toggle: View, Drawable {
    private let title: String
    private let isOn: Binding<Bool>

    public init(_ title: String, isOn: Binding<Bool>) { (self.title, self.isOn) = (title, isOn) }

    func lines(at place: Place) -> [String] { ["\(title) (\(isOn.wrappedValue ? "on" : "off"))"] }
}

/// Draws its label; nothing presses it.
public struct Stepper<Label: View>: View, Drawable {
    private let label: Label

    public init<Value: Strideable>(
        value: Binding<Value>,
        in bounds: ClosedRange<Value>,
        step: Value.Stride = 1,
        @ViewBuilder label: () -> Label,
        onEditingChanged: @escaping (Bool) -> Void = { _ in }
    ) { self.label = label() }

    func lines(at place: Place) -> [String] { place.child("stepper").draw(label).map { "-\($0)+" } }
}

/// Draws dots, or how much is done as a number.
public struct ProgressView<Label: View>: View, Drawable {
    private let label: Label
    private let done: String

    public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1, @ViewBuilder label: () -> Label) {
        self.label = label()
        done = value.map { "\(Int((Double($0 / total) * 100).rounded())) %" } ?? "…"
    }

    func lines(at place: Place) -> [String] { place.child("progress").draw(label) + [done] }
}

extension ProgressView where Label == Text? {
    public init() { (label, done) = (nil, "…") }
}

extension ProgressView where Label == Text {
    public init(_ title: String) { (label, done) = (Text(title), "…") }
}
