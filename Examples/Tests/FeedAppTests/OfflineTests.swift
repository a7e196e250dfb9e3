import FeedApp
import FeedServer
import QueryKit
import Testing

/// Changes that wait for a network, that are hidden after a logout, and that are sent after a relaunch.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct OfflineTests {
    @Test func `without a network the feed waits, and loads once the network is back`() async throws {
        let app = try await TestApp()
        await app.disconnect()
        await app.appear()
        #expect(app.lines.last == "  No network.")
        await app.connect()
        #expect(app.texts.count == 3)
        #expect(!app.model.isOffline)
    }

    @Test func `posts written offline are shown at once, and sent in order once the network is back`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.disconnect()
        for text in ["One", "Two", "Three"] { try app.model.post(text) }
        await app.client.settled()
        #expect(app.texts.prefix(3) == ["Three", "Two", "One"])
        #expect(app.lines.suffix(2) == ["  No network.", "  Waiting to be sent: 3"])
        #expect(await app.server.texts.count == 5)
        await app.connect()
        #expect(await app.server.texts.prefix(3) == ["Three", "Two", "One"])
        #expect(app.texts == ["Three", "Two", "One"])
        #expect(!app.model.isOffline && app.model.waitingCount == 0)
    }

    @Test func `after a logout nothing is shown, and waiting posts stay in the journal for their author`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.disconnect()
        try app.model.post("Secret")
        await app.client.settled()
        app.model.logOut()
        #expect(app.lines == ["Log in to see your feed."])
        await app.connect()
        #expect(app.texts.isEmpty && app.model.waitingCount == 0)
        #expect(try await app.journal.entries().map(\.session) == ["Ada"])
        #expect(await app.server.log == ["GET /posts 200"])
    }

    @Test func `another user neither sees nor sends waiting posts, which are sent when their author logs in again`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.disconnect()
        try app.model.post("Secret")
        await app.client.settled()
        app.model.logOut()
        await app.connect()
        try await app.model.logIn(as: "Ben")
        await app.appear()
        #expect(app.texts.first == "New bakery in town")
        try await app.model.logIn(as: "Ada")
        await app.appear()
        #expect(app.texts.first == "Secret")
        #expect(await app.server.texts.first == "Secret")
        #expect(try await app.journal.entries().isEmpty)
    }

    @Test func `waiting posts are sent after a relaunch`() async throws {
        let server = FeedServer()
        let journal = MemoryMutationJournal()
        do {
            let app = try await TestApp(server: server, journal: journal)
            await app.disconnect()
            try app.model.post("Before the relaunch")
            await app.client.settled()
        }
        await server.setReachable(true)
        let app = try await TestApp(server: server, journal: journal)
        try await app.model.logIn(as: "Ada")
        await app.appear()
        #expect(app.texts.first == "Before the relaunch")
        #expect(await server.texts.first == "Before the relaunch")
    }
}
