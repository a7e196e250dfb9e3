// Modifiers that don't change the lines of a view.

/// What a shape or a text is filled with.
public protocol ShapeStyle: Sendable {}

public struct HierarchicalShapeStyle: ShapeStyle {}

public struct Color: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var primary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
    public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
}

extension ShapeStyle where Self == Color {
    public static var red: Color { Color() }
}

public struct Font: Sendable {
    public static let headline = Font()
    public static let caption = Font()
}

@MainActor
@preconcurrency
public protocol PickerStyle {}

public struct SegmentedPickerStyle: PickerStyle {}

extension PickerStyle where Self == SegmentedPickerStyle {
    public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}

extension View {
    /// Nothing pulls the view.
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { self }

    /// Nothing starts the action.
    public func task(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { self }

    public func searchable(text: Binding<String>, prompt: String) -> some View { self }

    public func navigationTitle(_ title: String) -> some View { self }

    public func tabItem<Label: View>(@ViewBuilder _ label: () -> Label) -> some View { self }

    public func badge(_ count: Int) -> some View { self }

    public func tag<Value: Hashable>(_ tag: Value) -> some View { self }

    public func disabled(_ disabled: Bool) -> some View { self }

    public func font(_ font: Font?) -> some View { self }

    public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { self }

    public func pickerStyle<Style: PickerStyle>(_ style: Style) -> some View { self }
}
