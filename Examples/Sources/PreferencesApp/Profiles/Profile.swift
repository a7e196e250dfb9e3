import QueryKit

/// A profile, such as work or home, with its own preferences and secrets. The app without a profile is `nil`.
struct Profile: Hashable, Sendable {
    let name: String

    /// - Parameter name: Letters and digits only, because it becomes a part of the names of preferences and secrets.
    init(named name: String) throws {
        guard name.wholeMatch(of: /[A-Za-z0-9]+/) != nil else {
            throw UsageError("\"\(name)\" can't name a profile: use letters and digits, such as: preferences --profile work list")
        }
        self.name = name
    }
}

/// The profile that is shown, and its screen. There are two ways to build it: ``ContextProfiles`` and ``ContainerProfiles``.
@MainActor protocol Profiles: AnyObject {
    /// The profile that is shown; `nil` for the app without one.
    var profile: Profile? { get }
    /// The screen of the profile that is shown.
    var model: PreferencesModel { get }

    /// Shows another profile. When this returns, the screen shows its settings. If it throws, nothing has changed.
    func show(_ profile: Profile?) async throws
}

/// The preferences and secrets of one profile, in stores that all profiles share.
struct ProfileStore: PreferenceStore, SecretStore {
    let preferences: any PreferenceStore
    let secrets: any SecretStore
    /// The name of the profile; `nil` for the app without one.
    let profile: String?

    func text(of name: String) async throws -> String? { try await preferences.text(of: own(name)) }

    func setText(_ text: String, of name: String) async throws { try await preferences.setText(text, of: own(name)) }

    func secret(named name: String) async throws -> String? { try await secrets.secret(named: own(name)) }

    func setSecret(_ secret: String?, named name: String) async throws { try await secrets.setSecret(secret, named: own(name)) }

    private func own(_ name: String) -> String { profile.map { "\($0)-\(name)" } ?? name }
}

extension QueryContext {
    /// The stores of the profile whose session the context belongs to.
    var own: ProfileStore { ProfileStore(preferences: self.preferences, secrets: self.secrets, profile: session) }
}

/// All settings of a profile, to show them in one step.
struct ProfileSettings: Sendable {
    let amoled: Bool
    let accent: Accent
    let textSize: Int
    let server: String
    let timeout: Int
    let isSignedIn: Bool

    init(of store: ProfileStore) async throws {
        amoled = try await store.value(of: .amoled)
        accent = try await store.value(of: .accent)
        textSize = try await store.value(of: .textSize)
        server = try await store.value(of: .server)
        timeout = try await store.value(of: .timeout)
        isSignedIn = try await store.secret(named: "token") != nil
    }

    /// Writes the settings into a client, as one change.
    func show(in client: QueryClient) {
        client.batch {
            client.setValue(amoled, for: Preference(.amoled))
            client.setValue(accent, for: Preference(.accent))
            client.setValue(textSize, for: Preference(.textSize))
            client.setValue(server, for: Preference(.server))
            client.setValue(timeout, for: Preference(.timeout))
            client.setValue(isSignedIn, for: IsSignedIn())
        }
    }
}
