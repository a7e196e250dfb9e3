/// A screen for tests: it draws only on request, and reports whether there is something to draw.
@MainActor
package final class ViewHost<Root: View> {
    private var root: Root?
    private var keeper: Keeper?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Whether something has changed since the last drawing.
    package private(set) var isDirty = true
    /// The number of changes after which SwiftUI would draw again: further changes before the next drawing don't count.
    package private(set) var invalidationCount = 0

    package init(_ root: Root) {
        self.root = root
        keeper = Keeper { [weak self] in self?.invalidate() }
    }

    /// Draws the view. The state of the views is kept for the next drawing.
    package func draw() -> [String] {
        guard let keeper, let root else { return [] }
        isDirty = false
        return keeper.draw { Place(keeper).draw(root) }
    }

    /// Draws now and after each change, until the drawing is the expected one.
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

    /// Presses the button that is drawn as the given line.
    package func press(_ line: String) {
        guard let action = keeper?.actions[line] else { preconditionFailure("There is no button \(line)") }
        action()
    }

    /// Replaces the value of the view at the same place, as a parent view would.
    package func replace(with root: Root) {
        self.root = root
        isDirty = true
    }

    /// Removes the views from the screen.
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
