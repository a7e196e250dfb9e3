import HabitsApp
import QueryKit
import QueryKitTesting
import Testing

/// Optimistic marks of way e.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct LayeredModelTests {
    @Test func `a tap is shown in the row, the streak and the statistics before it is saved`() async throws {
        let app = try await TestApp()
        app.writes.close()
        app.model.tap(try app.habit("Read"))
        #expect(app.done == ["Read"])
        #expect(app.model.overview.rows.map(\.streak) == [1, 0])
        #expect(app.model.overview.statistics.doneCount == 1)
        await app.writes.holds()
        app.writes.open()
        await app.client.settled()
        #expect(app.done == ["Read"])
    }

    @Test func `a mark that can't be saved disappears, and the error is shown`() async throws {
        let app = try await TestApp()
        app.writes.close()
        app.model.tap(try app.habit("Read"))
        #expect(app.done == ["Read"])
        await app.writes.holds()
        app.writes.failOnce(with: DiskError())
        await app.client.settled()
        #expect(app.done == [])
        #expect(app.model.problem == "The disk is broken.")
        app.writes.open()
        app.model.tap(try app.habit("Write"))
        await app.client.settled()
        #expect(app.done == ["Write"])
        #expect(app.model.problem == nil)
    }

    @Test func `two quick taps are saved in their order, so that the second one removes the mark`() async throws {
        let app = try await TestApp()
        app.writes.close()
        app.model.tap(try app.habit("Read"))
        app.model.tap(try app.habit("Read"))
        #expect(app.done == [])
        await app.writes.holds()
        #expect(app.writes.heldCount == 1)  // the second one waits for the first
        app.writes.open()
        await app.client.settled()
        #expect(app.done == [])
    }

    @Test func `a saved mark reads the history of its habit only, and another day reads nothing`() async throws {
        let app = try await TestApp()
        let before = await app.counted.readCount
        app.model.tap(try app.habit("Read"))
        await app.client.settled()
        #expect(await app.counted.readCount == before + 1)
        app.model.show(Session.week.days.lowerBound)
        #expect(app.done == [])
        await app.client.settled()
        #expect(await app.counted.readCount == before + 1)
    }
}
