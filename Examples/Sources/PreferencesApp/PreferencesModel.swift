import QueryKit

/// Holds the state, applies actions to it, and runs their effects.
@MainActor final class PreferencesModel {
    private(set) var state: PreferencesFeature.State
    private let feature = PreferencesFeature()

    init(client: QueryClient) { state = QueryClient.with(client) { PreferencesFeature.State() } }

    /// - Returns: A task that waits for the effect. The caller owns it; cancelling it ends only the wait, not the effect.
    @discardableResult
    func send(_ action: PreferencesFeature.Action) -> Task<Void, Never>? {
        guard let effect = feature.reduce(&state, action) else { return nil }
        do {
            let end = try effect()
            return Task { [weak self] in
                do {
                    try await end()
                } catch is CancellationError {
                    // A newer value has replaced this one.
                } catch {
                    self?.send(.failed("Not saved: \(error)"))
                }
            }
        } catch {
            return send(.failed("\(error)"))
        }
    }
}
