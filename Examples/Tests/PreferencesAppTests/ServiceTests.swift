import Foundation
import QueryKit
import QueryKitTesting
import Testing

@testable import PreferencesApp

/// The configuration of a service, derived from the settings of the profile that is shown.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ServiceTests {
    private struct FakeStatus: StatusService {
        let status = FakeFunction<ServiceConfiguration, String> { "\($0.server.absoluteString) \($0.timeout.components.seconds)" }

        func status(using configuration: ServiceConfiguration) async throws -> String { try await status(configuration) }
    }

    private let stores = FakeStores(["server": "\"https://home.example\"", "work-server": "\"https://work.example\"", "work-timeout": "30"])
    private let service = FakeStatus()
    private let client: QueryClient
    private let profiles: ContextProfiles
    private let status: StateRecorder<QueryState<String?, String>>
    private var statuses: [String] { status.states.compactMap(\.value).reduce(into: []) { if $0.last != $1 { $0.append($1) } } }

    init() async {
        var context = QueryContext()
        context.preferences = stores
        context.secrets = stores
        context.statusService = service
        client = QueryClient.test(context: context)
        profiles = ContextProfiles(client: client)
        status = StateRecorder(client.store(for: ServerStatus.current))
        await client.settled()
    }

    @Test func `a changed setting gives the service another configuration, and asks it once`() async throws {
        #expect(statuses == ["https://home.example 10"])
        await profiles.model.send(.timeoutSet(20))?.value
        await client.settled()
        #expect(statuses == ["https://home.example 10", "https://home.example 20"])
        await profiles.model.send(.timeoutSet(20))?.value
        await profiles.model.send(.amoledToggled)?.value
        await client.settled()
        #expect(service.status.callCount == 2)
    }

    @Test func `a setting that can't be saved gives the previous configuration back`() async throws {
        stores.writing.close()
        let saving = profiles.model.send(.serverSet("https://new.example"))
        await client.settled()
        #expect(statuses.last == "https://new.example 10")
        stores.writing.fail(with: DiskFailure())
        await saving?.value
        await client.settled()
        #expect(statuses.last == "https://home.example 10")
    }

    @Test func `another profile has its own configuration`() async throws {
        try await profiles.show(Profile(named: "work"))
        await client.settled()
        #expect(statuses == ["https://home.example 10", "https://work.example 30"])
    }

    @Test func `a setting that is not an address is an error of the configuration, and the service is not asked`() async throws {
        await profiles.model.send(.serverSet("example"))?.value
        await client.settled()
        let configuration = client.store(for: ServiceConfiguration.current)
        #expect((configuration.error as? UsageError)?.description.hasPrefix("\"example\" is not the address of a server") == true)
        #expect(service.status.callCount == 1)
    }

    @Test func `code outside of requests gets the configuration from the container`() async throws {
        let stores = ProfileStore(preferences: stores, secrets: stores, profile: "work")
        let container = ProfileContainer(profile: try Profile(named: "work"), stores: stores) { _ in QueryClient.test() }
        #expect(try await container.configuration() == ServiceConfiguration(server: "https://work.example", timeout: 30))
    }

    @Test(arguments: [0, 301]) func `a time-out out of range is refused`(seconds: Int) {
        let error = #expect(throws: UsageError.self) { try ServiceConfiguration(server: "https://a.example", timeout: seconds) }
        #expect(error?.description.hasPrefix("A time-out takes 1 to 300 seconds, not \(seconds)") == true)
    }
}
