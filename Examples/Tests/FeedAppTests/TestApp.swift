import FeedApp
import FeedServer
import QueryKit
import QueryKitTesting

/// The server, which receives requests once the test lets them pass.
struct HeldFeed: FeedRepository {
    let feed: HTTPFeed
    let requests = Gate()

    func page(at cursor: String?, for user: String?) async throws -> FeedPage {
        try await requests.pass()
        return try await feed.page(at: cursor, for: user)
    }

    func make(_ change: FeedChange, as user: String?) async throws {
        try await requests.pass()
        try await feed.make(change, as: user)
    }
}

/// The app of one user, connected over HTTP to its own local server. The test controls time and network.
@MainActor
struct TestApp {
    let server: FeedServer
    let clock = ManualClock()
    let network = ManualNetworkObserver()
    let journal: MemoryMutationJournal
    /// Holds what is on its way to the server. Open unless the test closes it.
    let requests: Gate
    let client: QueryClient
    let model: FeedModel

    /// Launches the app. To test a relaunch, pass the server and the journal of the previous launch.
    init(user: String? = "Ada", server: FeedServer = FeedServer(), journal: MemoryMutationJournal = MemoryMutationJournal()) async throws {
        (self.server, self.journal) = (server, journal)
        // A slow machine isn't a silent server.
        let feed = HeldFeed(feed: HTTPFeed(server: try await server.start(), timeout: 60))
        requests = feed.requests
        requests.open()
        var context = QueryContext.feed(feed, journal: journal)
        context.networkObserver = network
        context.session = user
        client = QueryClient.test(clock: clock, context: context)
        model = FeedModel(queryClient: client)
    }

    var lines: [String] { FeedScreen(model: model).lines }

    var texts: [String] { model.posts.map(\.text) }

    /// Draws the screen, and waits until its contents are loaded.
    func appear() async {
        _ = lines
        await client.settled()
    }

    func disconnect() async {
        await server.setReachable(false)
        network.set(isOnline: false)
    }

    func connect() async {
        await server.setReachable(true)
        network.set(isOnline: true)
        await client.settled()
    }
}
