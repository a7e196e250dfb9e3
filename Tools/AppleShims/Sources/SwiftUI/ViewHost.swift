/// A screen that a test looks at: it draws when it is told to, and says when there is something to draw.
@MainActor
package final class ViewHost<Root: View> {
    private var root: Root?
    private var keeper: Keeper?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whether something changed since the last drawing.
    package private(set) var isDirty = true
    /// How often something changed that had not changed since the last drawing: what SwiftUI would draw again for.
    package private(set) var invalidationCount = 0

    package init(_ root: Root) {
        self.root = root
        keeper = Keeper { [weak self] in self?.invalidate() }
    }

    /// Draws; what the views hold is kept for the next time.
    package func draw() -> [String] {
        guard let keeper, let root else { return [] }
        isDirty = false
        return keeper.draw { Place(keeper).draw(root) }
    }

    /// Draws, and again with each change, until the drawing is the one that is waited for.
    package func draw(until lines: [String]) async {
        while draw() != lines {
            if !isDirty { await withCheckedContinuation { waiting.append($0) } }
        }
    }

    /// Waits until something has changed, and draws.
    package func drawChange() async -> [String] {
        if !isDirty { await withCheckedContinuation { waiting.append($0) } }
        return draw()
    }

    /// Puts another value of the view at the same place, as a view above it would.
    package func replace(with root: Root) {
        self.root = root
        isDirty = true
    }

    /// Takes the views from the screen.
    package func unmount() {
        root = nil
        keeper = nil
    }

    private func invalidate() {
        guard !isDirty else { return }
        isDirty = true
        invalidationCount += 1
        let ready = waiting
        waiting = []
        for continuation in ready { continuation.resume() }
    }
}
