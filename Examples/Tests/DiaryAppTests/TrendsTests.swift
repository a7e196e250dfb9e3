import DiaryApp
import FoodDiaryKit
import QueryKit
import QueryKitTesting
import Testing

/// Weeks and months.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TrendsTests {
    @Test func `the week from Monday to Sunday has all its days, those without entries too`()
        async throws
    {
        let app = try await TestApp(days: 2)
        let trend = try await app.trend()
        #expect(trend.days.map { "\($0.day)" }.first == "2026-11-16")
        #expect(trend.days.map(\.kilocalories) == [0, 0, 0, 0, 334.8, 412.5, 0])
        #expect(trend.average?.kilocalories == 373.65)
        #expect(trend.favorites.map(\.name) == ["Rolled oats", "Rye bread"])
        #expect(trend.highest == 412.5)
    }

    @Test func `the month has all its days`() async throws {
        let app = try await TestApp(days: 2)
        app.models.trends.span = .month
        let trend = try await app.trend()
        #expect(trend.days.count == 30)
        #expect(trend.days.last.map { "\($0.day)" } == "2026-11-30")
    }

    @Test func `the user goes back week by week, and forward to the current one`() async throws {
        let app = try await TestApp(days: 2)
        let trends = app.models.trends
        _ = try await app.trend()
        #expect(!trends.canGoForward)
        trends.goBack()
        #expect(trends.canGoForward)
        #expect(try await app.trend().isEmpty)
        trends.goForward()
        #expect(try await app.trend().days.first.map { "\($0.day)" } == "2026-11-16")
        trends.goForward()
        #expect(!trends.canGoForward)
    }

    @Test func `while the user goes back, the previous days stay`() async throws {
        let app = try await TestApp(days: 2)
        let shown = try await app.trend()
        app.reads.close()
        app.models.trends.goBack()
        #expect(app.models.trends.trend == shown)
        try await app.client.loading(at: app.reads) {
            #expect(app.models.trends.trend == shown && app.models.trends.isOutdated)
        }
        app.reads.open()
        await app.client.settled()
        #expect(app.models.trends.trend != shown && !app.models.trends.isOutdated)
    }

    @Test func `a trend follows what is logged on another screen`() async throws {
        let app = try await TestApp(days: 1)
        #expect(try await app.trend().days[5].kilocalories == 334.8)
        try await app.add("egg")
        await app.client.settled()
        #expect(try await app.trend().days[5].kilocalories == 420.05)
    }

    @Test func `on Monday the trend is that of the new week`() async throws {
        let app = try await TestApp(days: 1)
        _ = try await app.trend()
        app.clock.advance(by: .seconds(2 * 86_400))
        let trend = try await app.trend()
        #expect(trend.days.first.map { "\($0.day)" } == "2026-11-23")
        #expect(trend.isEmpty)
    }

    @Test func `a pull refreshes the trend`() async throws {
        let app = try await TestApp(days: 1)
        _ = try await app.trend()
        let count = app.models.trends.$trend.valueUpdateCount
        await app.models.trends.refresh()
        #expect(app.models.trends.$trend.valueUpdateCount == count + 1)
    }
}

extension TestApp {
    /// The trend that the screen shows when all work is done.
    func trend() async throws -> Trend {
        await show { _ = models.trends.trend }
        return try #require(models.trends.trend)
    }
}
