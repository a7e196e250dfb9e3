import Observation
import QueryKit

/// Profiles by the context: one client, whose session is the profile.
///
/// The requests don't change: they take the store of preferences from the context, which chooses it by the session. A switch begins a new
/// session, so nothing of the previous profile stays in memory, and its late results are dropped. Compare ``ContainerProfiles``.
@MainActor @Observable
final class ContextProfiles: Profiles {
    private(set) var profile: Profile?
    /// Whether a switch waits until the changes of the profile that is shown are saved.
    private(set) var isWaiting = false
    let model: PreferencesModel
    private let client: QueryClient
    /// The number of the latest switch: if switches overlap, the latest wins.
    private var switchCount = 0

    init(client: QueryClient) {
        self.client = client
        model = PreferencesModel(client: client)
    }

    /// The settings are read before the session changes: otherwise the screen would show defaults for a moment. Writes of the previous
    /// profile end first, because `reset(session:)` cancels calls under way.
    func show(_ profile: Profile?) async throws {
        switchCount += 1
        let number = switchCount
        defer { if number == switchCount { isWaiting = false } }
        let context = client.context
        let settings = try await ProfileSettings(
            of: ProfileStore(preferences: context.preferences, secrets: context.secrets, profile: profile?.name)
        )
        while number == switchCount, isSaving {
            isWaiting = true
            await saved()
        }
        guard number == switchCount else { return }
        client.reset(session: profile?.name)
        settings.show(in: client)
        self.profile = profile
    }

    private var isSaving: Bool {
        isSaving(.amoled) || isSaving(.accent) || isSaving(.textSize) || isSaving(.server) || isSaving(.timeout)
    }

    private func saved() async {
        await saved(.amoled)
        await saved(.accent)
        await saved(.textSize)
        await saved(.server)
        await saved(.timeout)
    }

    private func isSaving<Value>(_ key: PreferenceKey<Value>) -> Bool {
        client.store(for: SetPreference(key)).state.history.contains(where: \.isPending)
    }

    private func saved<Value>(_ key: PreferenceKey<Value>) async {
        for await state in client.store(for: SetPreference(key)).states where !state.history.contains(where: \.isPending) { return }
    }
}
