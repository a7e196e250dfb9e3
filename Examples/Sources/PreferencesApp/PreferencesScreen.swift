import QueryKit

/// The state as lines of text.
struct PreferencesScreen {
    let state: PreferencesFeature.State

    var lines: [String] {
        [
            line("amoled", state.amoled ? "on" : "off", isSaving: state.$amoled.isOptimistic),
            line("accent", state.accent.rawValue, isSaving: state.$accent.isOptimistic),
            line("textSize", "\(state.textSize)", isSaving: state.$textSize.isOptimistic),
            line("token", state.isSignedIn ? "saved" : "none", isSaving: false),
        ] + (state.failure.map { [$0] } ?? [])
    }

    /// The error of a value that can't be read, if there is one.
    var error: (any Error)? {
        state.$amoled.error ?? state.$accent.error ?? state.$textSize.error ?? state.$isSignedIn.error
    }

    private func line(_ name: String, _ value: String, isSaving: Bool) -> String {
        "\(name)\(String(repeating: " ", count: 10 - name.count))\(value)\(isSaving ? " (saving)" : "")"
    }
}
