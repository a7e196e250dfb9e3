import FeedApp
import FeedServer
import QueryKit
import QueryKitTesting
import Testing

/// Loading, pages, refreshing, and a busy server.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct FeedTests {
    @Test func `the screen shows that it is loading, then the first page`() async throws {
        let app = try await TestApp()
        app.requests.close()
        #expect(app.lines == ["The feed of Ada", "  Loading…"])
        app.requests.open()
        await app.client.settled()
        #expect(
            app.lines == [
                "The feed of Ada", "  Cleo: New bakery in town", "  Cleo: Who lends me a ladder?", "  Cleo: Snow at last", "  (more)",
            ]
        )
    }

    @Test func `pages are added until there are no more`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.model.showMore()
        #expect(app.texts.count == 5)
        #expect(!app.model.hasMore)
        await app.model.showMore()
        #expect(await app.server.log.count == 2)
    }

    @Test func `pulling to refresh shows new posts and keeps the number of pages`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.model.showMore()
        await app.server.add(Post(author: "Ben", text: "Good night"))
        await app.model.refresh()
        #expect(app.texts.first == "Good night")
        #expect(app.texts.count == 6)
    }

    @Test func `a request to a busy server is retried after a second`() async throws {
        let app = try await TestApp()
        await app.server.fail(with: 503)
        await app.appear()
        #expect(app.lines == ["The feed of Ada", "  Loading…"])
        app.clock.advance(by: .seconds(1))
        await app.client.settled()
        #expect(app.texts.count == 3)
        #expect(await app.server.log == ["GET /posts 503", "GET /posts 200"])
    }

    @Test func `if the server stays busy, the error is shown with the old posts until a refresh succeeds`() async throws {
        let app = try await TestApp()
        await app.appear()
        await app.server.fail(with: 503, 503, 503, 503)
        app.client.invalidate("feed")
        for _ in 1...4 {
            await app.client.settled()
            app.clock.advance(by: .seconds(1))
        }
        #expect(app.model.problem == "The server is busy (503). Try again later.")
        #expect(app.texts.count == 3)
        await app.model.refresh()
        #expect(app.model.problem == nil)
    }

    @Test func `a request that the server refuses is not retried`() async throws {
        let app = try await TestApp()
        await app.server.fail(with: 404)
        await app.appear()
        #expect(app.model.problem == "The server fails.")
        #expect(await app.server.log == ["GET /posts 404"])
    }
}
