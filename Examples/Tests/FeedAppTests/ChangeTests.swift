import FeedApp
import FeedServer
import QueryKit
import QueryKitTesting
import Testing

/// Likes and posts: shown at once, sent in order, removed if the server refuses them.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ChangeTests {
    @Test func `a like and a post are shown before they are sent`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.requests.close()
        try app.model.like(#require(app.model.posts.first))
        try app.model.post("Hello from Ada")
        #expect(app.lines[1...2] == ["  Ada: Hello from Ada", "  Cleo: New bakery in town  ♥ 1"])
        #expect(app.lines.last == "  Waiting to be sent: 2")
        app.requests.open()
        await app.client.settled()
        #expect(app.lines[1...2] == ["  Ada: Hello from Ada", "  Cleo: New bakery in town  ♥ 1"])
        #expect(app.model.waitingCount == 0)
        #expect(await app.server.texts.first == "Hello from Ada")
    }

    @Test func `a like is also shown on a post of a later page`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.model.showMore()
        try app.model.like(app.model.posts[4])
        #expect(app.lines.contains("  Cleo: Hello  ♥ 1"))
        await app.client.settled()
        #expect(app.lines.contains("  Cleo: Hello  ♥ 1"))
    }

    @Test func `a post refused by the server is removed, and the screen shows the reason`() async throws {
        let app = try await TestApp()
        await app.appear()
        app.requests.close()
        try app.model.post("")
        #expect(app.texts.count == 4)
        app.requests.open()
        await app.client.settled()
        #expect(app.texts.count == 3)
        #expect(app.lines.last == "! A post needs a text.")
        #expect(try await app.journal.entries().isEmpty)
    }

    @Test func `a post to a busy server is shown while it is retried`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.server.fail(with: 503)
        try app.model.post("Patience")
        await app.client.settled()
        #expect(app.texts.first == "Patience")
        #expect(app.model.waitingCount == 1)
        app.clock.advance(by: .seconds(1))
        await app.client.settled()
        #expect(app.model.waitingCount == 0)
        #expect(await app.server.texts.first == "Patience")
    }

    @Test func `a post that fails on every attempt is removed with an error, until the user retries`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.server.fail(with: 503, 503, 503, 503)
        try app.model.post("Once more")
        for _ in 1...4 {
            await app.client.settled()
            app.clock.advance(by: .seconds(1))
        }
        #expect(app.lines.last == "! The server is busy (503). Try again later.")
        #expect(app.texts.count == 3)
        try app.model.retry()
        await app.client.settled()
        #expect(app.texts.first == "Once more" && app.model.problem == nil)
    }

    @Test func `posting without login throws, and the screen asks the user to log in`() async throws {
        let app = try await TestApp(user: nil)
        #expect(throws: FeedError.loggedOut) { try app.model.post("Hello") }
        #expect(app.lines == ["Log in to see your feed."])
    }
}
