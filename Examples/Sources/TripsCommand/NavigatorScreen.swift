import TripsApp

/// The screen that the navigator shows, as lines of text.
@MainActor
struct NavigatorScreen {
    let list: TripListScreen
    let navigator: TripNavigator

    var lines: [String] {
        switch navigator.path.last {
        case nil: (navigator.message.map { ["! \($0)"] } ?? []) + list.lines
        case .trip: (navigator.details?.lines ?? ["Loading…"]) + problem
        case .edit: ["Edit", "  name  \(navigator.name)\(navigator.isSaving ? " (saving)" : "")"] + problem
        }
    }

    private var problem: [String] { navigator.problem.map { ["! \($0)"] } ?? [] }
}

extension TripNavigator {
    /// Obeys a typed command of the open screen.
    ///
    /// - Returns: Whether it was one.
    func obey(_ line: String) -> Bool {
        switch (path.last, line) {
        case (.trip, "edit"): edit()
        case (.trip, "back"), (.edit, "back"): back()
        case (.edit, "save"): save()
        case (.edit, _) where line.hasPrefix("name "): name = String(line.dropFirst("name ".count))
        default: return false
        }
        return true
    }
}
