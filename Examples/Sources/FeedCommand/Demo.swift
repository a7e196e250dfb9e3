import FeedApp
import FeedServer
import QueryKit

/// A day with the app: each step prints what happens, then the screen.
@MainActor
struct Demo {
    private let server = FeedServer()
    private let network = ManualNetworkObserver()

    func run() async throws {
        var context = QueryContext.feed(HTTPFeed(server: try await server.start()), journal: MemoryMutationJournal())
        context.networkObserver = network
        let client = QueryClient(context: context)
        let model = FeedModel(queryClient: client)

        func step(_ title: String, _ action: () async throws -> Void) async throws {
            print("# \(title)")
            try await action()
            _ = FeedScreen(model: model).lines  // the first read fetches
            await client.settled()
            print(FeedScreen(model: model).lines.joined(separator: "\n") + "\n")
        }

        try await step("The app starts.") {}
        try await step("Ada logs in.") { try await model.logIn(as: "Ada") }
        try await step("She scrolls to the end.") { await model.showMore() }
        try await step("She likes the first post, and writes one.") {
            try model.like(model.posts[0])
            try model.post("Back in town")
        }
        try await step("Her train enters a tunnel, and she keeps writing.") {
            await disconnect()
            try model.post("In a tunnel")
            try model.post("A long one")
        }
        try await step("She logs out: her posts wait in the journal.") { model.logOut() }
        await connect()
        try await step("Ben logs in on the same device, and doesn't see her waiting posts.") { try await model.logIn(as: "Ben") }
        try await step("Ada is back: her posts are sent, in their order.") { try await model.logIn(as: "Ada") }
        await server.fail(with: 503, 503)
        await server.add(Post(author: "Cleo", text: "Good night"))
        try await step("She pulls to refresh. The server is busy, so that takes three attempts.") { await model.refresh() }
        print("The last requests: \(await server.log.suffix(3).joined(separator: ", "))")
    }

    private func disconnect() async {
        await server.setReachable(false)
        network.set(isOnline: false)
    }

    private func connect() async {
        await server.setReachable(true)
        network.set(isOnline: true)
    }
}
