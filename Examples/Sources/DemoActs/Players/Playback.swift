package import Terminal

/// Which act is shown, and what a key does.
package struct Playback: Hashable, Sendable {
    /// What the player has to do.
    package enum Command: Hashable, Sendable {
        /// Play the act at the position from its beginning, or show the summary.
        case show
        case pause, resume, step, quit
    }

    private let count: Int

    /// The index of the act that is shown; the number of acts for the summary.
    package private(set) var position = 0
    package private(set) var isPaused = false

    package init(count: Int) { self.count = count }

    package var showsSummary: Bool { position == count }

    /// Reacts to a key. Returns `nil` if the key means nothing now.
    package mutating func press(_ key: Key) -> Command? {
        switch key {
        case .character("q"), .escape: return .quit
        case .character("r"): return show(showsSummary ? 0 : position)
        case .right, .character("l"), .enter: return showsSummary ? nil : show(position + 1)
        case .left, .character("h"): return position == 0 ? nil : show(position - 1)
        case .character(" ") where !showsSummary:
            isPaused.toggle()
            return isPaused ? .pause : .resume
        case .down, .character("j"):
            guard !showsSummary else { return nil }
            isPaused = true
            return .step
        default: return nil
        }
    }

    /// Goes on after the end of an act.
    package mutating func finishAct() -> Command { show(position + 1) }

    private mutating func show(_ next: Int) -> Command {
        position = next
        isPaused = false
        return .show
    }
}
