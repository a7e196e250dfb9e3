import Observation
import QueryKit
import QueryKitTesting

@testable import PreferencesApp

struct DiskFailure: Error {}

/// Preferences and secrets in memory, whose reads and writes the test can hold or make fail.
actor FakeStores: PreferenceStore, SecretStore {
    nonisolated let reading = Gate()
    nonisolated let writing = Gate()
    /// Where the reads of the profile work wait in addition.
    nonisolated let readingWork = Gate()
    private(set) var texts: [String: String]
    private(set) var secrets: [String: String]

    init(_ texts: [String: String] = [:], _ secrets: [String: String] = [:]) {
        (self.texts, self.secrets) = (texts, secrets)
        for gate in [reading, readingWork, writing] { gate.open() }
    }

    func text(of name: String) async throws -> String? {
        try await reading.pass()
        if name.hasPrefix("work-") { try await readingWork.pass() }
        return texts[name]
    }

    func setText(_ text: String, of name: String) async throws {
        try await writing.pass()
        texts[name] = text
    }

    func secret(named name: String) async throws -> String? {
        try await reading.pass()
        return secrets[name]
    }

    func setSecret(_ secret: String?, named name: String) async throws {
        try await writing.pass()
        secrets[name] = secret
    }
}

/// The app with profiles, in one of the two ways.
@MainActor struct TestProfiles {
    let profiles: any Profiles

    init(_ stores: FakeStores, byContext: Bool) {
        func client(_ preferences: any PreferenceStore, _ secrets: any SecretStore) -> QueryClient {
            var context = QueryContext()
            context.preferences = preferences
            context.secrets = secrets
            return QueryClient.test(context: context)
        }
        if byContext {
            profiles = ContextProfiles(client: client(stores, stores))
        } else {
            profiles = ContainerProfiles { profile in
                let store = ProfileStore(preferences: stores, secrets: stores, profile: profile?.name)
                return ProfileContainer(profile: profile, stores: store) { client($0, $0) }
            }
        }
    }

    /// The client of the profile that is shown.
    var client: QueryClient { profiles.model.state.$amoled.client }

    var lines: [String] { PreferencesScreen(state: profiles.model.state).lines }

    /// Draws the screen, and waits until its contents are loaded.
    func appear() async {
        _ = lines
        await client.settled()
    }
}

/// Waits until a condition on observable objects holds.
@MainActor func becomesTrue(_ condition: @MainActor () -> Bool) async {
    while !condition() {
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = condition()
            } onChange: {
                continuation.resume()
            }
        }
    }
}
