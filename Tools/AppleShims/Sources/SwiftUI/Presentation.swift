/// A view followed by others that SwiftUI shows over or beside it.
private struct Accompanied<Content: View, Companion: View>: View, Drawable {
    let content: Content
    let name: String
    let companion: @MainActor () -> Companion

    func lines(at place: Place) -> [String] {
        place.child("content").draw(content) + place.child(name).draw(companion())
    }
}

extension View {
    public func overlay<Overlay: View>(@ViewBuilder content: () -> Overlay) -> some View {
        let overlay = content()
        return Accompanied(content: self, name: "overlay") { overlay }
    }

    /// Draws the sheet below the view while there is an item.
    public func sheet<Item: Identifiable, Sheet: View>(
        item: Binding<Item?>,
        onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Sheet
    ) -> some View { Accompanied(content: self, name: "sheet") { item.wrappedValue.map(content) } }

    public func toolbar<Items: View>(@ViewBuilder content: () -> Items) -> some View {
        let items = content()
        return Accompanied(content: self, name: "toolbar") { items }
    }

    public func swipeActions<Actions: View>(@ViewBuilder content: () -> Actions) -> some View {
        let actions = content()
        return Accompanied(content: self, name: "actions") { actions }
    }
}

/// The place of a button in a toolbar.
public struct ToolbarItemPlacement: Sendable {
    public static let navigation = ToolbarItemPlacement()
    public static let primaryAction = ToolbarItemPlacement()
    public static let confirmationAction = ToolbarItemPlacement()
    public static let cancellationAction = ToolbarItemPlacement()
}

/// A part of a toolbar. Apple's is no view, but its builder accepts the same code.
public struct ToolbarItem<Content: View>: View, Drawable {
    private let content: Content

    public init(placement: ToolbarItemPlacement, @ViewBuilder content: () -> Content) { self.content = content() }

    func lines(at place: Place) -> [String] { place.child("item").draw(content) }
}
