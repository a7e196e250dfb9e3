import FeedApp
import FeedServer
import QueryKit

/// The app of one user, connected over HTTP to its own local server. The test controls time and network.
@MainActor
struct TestApp {
    let server: FeedServer
    let clock = ManualClock()
    let network = ManualNetworkObserver()
    let journal: MemoryMutationJournal
    let client: QueryClient
    let model: FeedModel

    /// Launches the app. To test a relaunch, pass the server and the journal of the previous launch.
    init(user: String? = "Ada", server: FeedServer = FeedServer(), journal: MemoryMutationJournal = MemoryMutationJournal()) async throws {
        (self.server, self.journal) = (server, journal)
        var context = QueryContext.feed(HTTPFeed(server: try await server.start()), journal: journal)
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
