import TripsApp

/// The list as lines of text.
@MainActor
struct TripListScreen {
    let model: TripListModel

    var lines: [String] {
        var lines = [model.search.isEmpty ? "All trips" : "Trips with \"\(model.search)\""]
        if model.isLoading { lines.append("  Loading…") }
        lines += model.trips.map { "  \($0.summary)" }
        lines.append("  \(model.totalDays) days in all")
        if let problem = model.problem { lines.append("! \(problem)") }
        return lines
    }
}

extension Trip {
    var summary: String { "\(start.rawValue)  \(name), \(days) days" }
}
