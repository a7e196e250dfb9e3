import Observation
import QueryKit

/// Profiles by a dependency container: each profile has its own container, with its own client.
///
/// The values of all profiles that were shown stay in memory and follow the database, so switching back is immediate, two profiles can be
/// shown side by side, and a switch cancels nothing. Nothing separates the profiles but the containers: to log out, ``remove(_:)`` one.
/// Compare ``ContextProfiles``.
@MainActor @Observable
final class ContainerProfiles: Profiles {
    private(set) var current: ProfileContainer
    private var containers: [Profile?: ProfileContainer]
    private let make: (Profile?) -> ProfileContainer
    /// The number of the latest switch: if switches overlap, the latest wins.
    private var switchCount = 0

    var profile: Profile? { current.profile }
    var model: PreferencesModel { current.model }

    /// - Parameter make: Makes the container of a profile, when it is first shown.
    init(make: @escaping (Profile?) -> ProfileContainer) {
        let container = make(nil)
        (self.make, current, containers) = (make, container, [nil: container])
    }

    func show(_ profile: Profile?) async throws {
        switchCount += 1
        let number = switchCount
        let container = containers[profile] ?? make(profile)
        containers[profile] = container
        try await container.load()
        if number == switchCount { current = container }
    }

    /// Releases a profile's client with all its values. Calls under way are cancelled.
    func remove(_ profile: Profile) {
        if current.profile == profile { current = containers[nil] ?? make(nil) }
        containers[profile] = nil
    }
}

/// The objects of one profile, made once, in the order of their dependencies. It is plain Swift: code that doesn't know QueryKit uses it
/// too.
@MainActor
final class ProfileContainer {
    let profile: Profile?
    let stores: ProfileStore
    let client: QueryClient
    let model: PreferencesModel

    /// - Parameter client: Makes a client whose context has the stores and services of the profile.
    init(profile: Profile?, stores: ProfileStore, client: (ProfileStore) -> QueryClient) {
        (self.profile, self.stores) = (profile, stores)
        self.client = client(stores)
        model = PreferencesModel(client: self.client)
    }

    /// The service configuration at this moment, for code outside of requests. It doesn't follow the settings: requests use
    /// ``ServiceConfiguration/current``.
    func configuration() async throws -> ServiceConfiguration {
        try await ServiceConfiguration(server: stores.value(of: .server), timeout: stores.value(of: .timeout))
    }

    /// Fetches the settings that have no fresh value yet.
    func load() async throws {
        _ = try await client.fetch(Preference(.amoled))
        _ = try await client.fetch(Preference(.accent))
        _ = try await client.fetch(Preference(.textSize))
        _ = try await client.fetch(Preference(.server))
        _ = try await client.fetch(Preference(.timeout))
        _ = try await client.fetch(IsSignedIn())
    }
}
