package import QueryKit

/// A value as a screen shows it.
package protocol ScreenText {
    var screenText: String { get }
}

extension String: ScreenText { package var screenText: String { self } }

extension Int: ScreenText { package var screenText: String { "\(self)" } }

extension Trip: ScreenText { package var screenText: String { isLiked ? "\(name) ♥" : name } }

extension TripPage: ScreenText { package var screenText: String { trips.screenText } }

extension Array: ScreenText where Element: ScreenText {
    package var screenText: String { isEmpty ? "empty" : map(\.screenText).joined(separator: ", ") }
}

extension QueryPages: ScreenText where PageValue: ScreenText {
    package var screenText: String { map(\.value.screenText).joined(separator: " | ") }
}

extension StageContent {
    /// The state of a request: its value, and what else the user should know.
    init<State: QueryStateProtocol>(_ state: State) where State.QueryValue: ScreenText {
        self.init(state.current?.screenText ?? "–", Self.remarks(on: state).joined(separator: ", "))
    }

    private static func remarks(on state: some QueryStateProtocol) -> [String] {
        var remarks: [String] = []
        if state.isOptimistic { remarks.append("optimistic") }
        if state.isPaused {
            remarks.append("waits for the network")
        } else if state.isFetching, let reason = state.failureReason {
            remarks.append("attempt \(state.failureCount + 1) after: \(text(of: reason))")
        } else if state.isLoading {
            remarks.append("loading")
        } else if state.isFetching {
            remarks.append("refreshing")
        }
        if !state.isFetching, let error = state.error { remarks.append("failed: \(text(of: error))") }
        return remarks
    }

    private static func text(of error: any Error) -> String {
        if let error = error as? QueryError, error.code == .networkUnavailable { "no network" } else { "\(error)" }
    }
}
