#if canImport(SwiftUI)
    import SwiftUI

    /// What went wrong, with a button that tries again.
    struct ProblemRow: View {
        let text: String
        let onRetry: @MainActor () -> Void

        var body: some View {
            Section {
                Label(text, systemImage: "exclamationmark.triangle").foregroundStyle(.red)
                Button("Try again", action: onRetry)
            }
        }
    }
#endif
