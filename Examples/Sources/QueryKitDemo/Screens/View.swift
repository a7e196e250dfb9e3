import QueryKit

/// A view of a terminal: each time it is drawn it writes a line.
struct View<Value: Sendable>: Sendable {
    let name: String
    let log: Log
    let text: @Sendable (Value) -> String

    /// Begins to show what a view model has; the view closes when the result is cancelled.
    func open(_ model: ViewModel<Value>) -> QuerySubscription {
        model.observe { contents in log.note(name, describe(contents)) }
    }

    private func describe(_ contents: Contents<Value>) -> String {
        switch contents {
        case .nothing: "opens, and has nothing to show yet"
        case .loading(let progress) where progress.failures > 0:
            "loading still: attempt \(progress.failures) failed, failureCount is \(progress.failures)"
        case .loading(let progress) where progress.isOutdated: "loading what is out of date by now (cause: \(progress.cause))"
        case .loading(let progress): "loading (cause: \(progress.cause))"
        case .shown(let value, let progress): text(value) + suffix(progress)
        case .failed(let message): "failed: \(message)"
        }
    }

    private func suffix(_ progress: Contents<Value>.Progress) -> String {
        if progress.isRefreshing { return " (refreshing, cause: \(progress.cause))" }
        return progress.isOutdated ? " (out of date)" : ""
    }
}

extension View<[FoodEntry]> {
    /// Shows a day's entries by name.
    static func list(_ name: String = "list", on log: Log) -> View {
        View(name: name, log: log) { entries in entries.map(\.name).joined(separator: ", ") }
    }

    /// Shows how many entries a day has.
    static func badge(on log: Log) -> View {
        View(name: "badge", log: log) { entries in "\(entries.count) entries" }
    }
}

extension View<Int> {
    /// Shows a day's energy.
    static func energy(on log: Log) -> View {
        View(name: "energy", log: log) { kilocalories in "\(kilocalories) kcal" }
    }
}
