import DiaryApp
import FoodDiaryKit
import QueryKit
import QueryKitTesting
import Testing

/// Today's list: loading, deleting, adding, refreshing.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct TodayTests {
    @Test
    func
        `today shows a spinner, then the entries, newest first, and their energy against the goal`()
        async throws
    {
        let app = try await TestApp(days: 2)
        app.reads.close()
        #expect(app.today.entries.isEmpty && !app.today.isEmpty)
        try await app.client.loading(at: app.reads) { #expect(app.today.showsSpinner) }
        app.reads.open()
        #expect(!app.today.showsSpinner)
        await app.appear()
        #expect(app.names == ["Rolled oats", "Rye bread"])
        #expect(app.today.balance == EnergyBalance(eaten: 412.5, goal: 2_000))
        #expect(app.today.balance.left == 1_587.5)
    }

    @Test func `a day without entries is shown as empty`() async throws {
        let app = try await TestApp(days: 0)
        await app.appear()
        #expect(app.today.isEmpty && !app.today.showsSpinner)
        #expect(app.today.balance.progress == 0)
    }

    @Test func `a deleted entry disappears at once from the list and the total`() async throws {
        let app = try await TestApp(days: 2)
        await app.appear()
        app.writes.close()
        app.today.delete(try app.entry("Rye bread"))
        #expect(app.names == ["Rolled oats"])
        #expect(app.today.balance.eaten == 334.8)
        app.writes.open()
        await app.client.settled()
        #expect(app.names == ["Rolled oats"])
        #expect(try await app.stored == 1)
    }

    @Test func `an entry that can't be deleted comes back with the reason, and a retry deletes it`()
        async throws
    {
        let app = try await TestApp(days: 2)
        await app.appear()
        app.writes.close()
        app.today.delete(try app.entry("Rye bread"))
        #expect(app.names == ["Rolled oats"])
        app.writes.failOnce(with: DiskError())
        await app.client.settled()
        #expect(app.names == ["Rolled oats", "Rye bread"])
        #expect(app.today.balance.eaten == 412.5)
        #expect(app.today.problem == "Not deleted: The disk is broken.")
        app.writes.open()
        app.today.retry()
        await app.client.settled()
        #expect(app.names == ["Rolled oats"])
        #expect(app.today.problem == nil)
    }

    @Test func `two deletions at once don't undo each other when the first fails`() async throws {
        let app = try await TestApp(days: 3)
        await app.appear()
        app.writes.close()
        app.today.delete(try app.entry("Rye bread"))
        app.today.delete(try app.entry("Apple"))
        #expect(app.names == ["Rolled oats"])
        await app.writes.holds()
        app.writes.failOnce(with: DiskError())
        app.writes.open()
        await app.client.settled()
        #expect(app.names == ["Rolled oats", "Rye bread"])
    }

    @Test func `food shows before it is logged, and can't be deleted until then`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        app.writes.close()
        try await app.add("egg")
        #expect(app.names == ["Egg", "Rolled oats"])
        #expect(app.today.entries.map(\.isProvisional) == [true, false])
        app.writes.open()
        await app.client.settled()
        #expect(app.today.entries.map(\.isProvisional) == [false, false])
        #expect(app.today.balance.eaten == 420.05)
    }

    @Test func `food that can't be logged disappears with the reason, and a retry logs it`()
        async throws
    {
        let app = try await TestApp(days: 1)
        await app.appear()
        app.writes.failOnce(with: DiskError())
        try await app.add("egg")
        await app.client.settled()
        #expect(app.names == ["Rolled oats"])
        #expect(app.today.problem == "Not logged: The disk is broken.")
        app.today.retry()
        await app.client.settled()
        #expect(app.names == ["Egg", "Rolled oats"])
        #expect(app.today.problem == nil)
    }

    @Test func `a pull refreshes, and ends when the entries are there`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        let arrivals = app.reads.arrivals
        app.reads.close()
        let refresh = Task { await app.today.refresh() }
        try await app.client.loading(at: app.reads) { #expect(!app.today.showsSpinner) }
        await refresh.value
        #expect(app.reads.arrivals == arrivals + 1)
    }

    @Test func `a refresh that fails keeps the entries and shows the reason`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        app.reads.fail(with: QueryError(.invalidParameters, "The disk is broken."))
        await app.today.refresh()
        #expect(app.names == ["Rolled oats"])
        #expect(app.today.problem?.hasPrefix("Today can't be read: ") == true)
        app.reads.open()
        app.today.retry()
        await app.client.settled()
        #expect(app.today.problem == nil)
    }

    @Test func `at midnight today is empty again`() async throws {
        let app = try await TestApp(days: 1)
        await app.appear()
        app.clock.advance(by: .seconds(12 * 3_600 + 60))
        await app.appear()
        #expect(app.today.isEmpty)
    }
}

extension TestApp {
    var names: [String] { today.entries.map(\.name) }

    /// The number of entries in the diary.
    var stored: Int {
        get async throws {
            try await sample.diary.recentEntries(limit: 100).count {
                $0.day == FoodDay("2026-11-21")
            }
        }
    }

    func entry(_ name: String) throws -> FoodEntry {
        try #require(today.entries.first { $0.name == name })
    }

    func appear() async { await show { _ = (today.entries, today.balance, today.problem) } }

    /// Adds a portion of the first food that a search finds.
    func add(_ text: String) async throws {
        today.startAdding()
        let adding = try #require(today.adding)
        _ = adding.search.results
        try await type(text, in: adding.search)
        adding.choose(try #require(adding.search.results.first))
        adding.log()
        #expect(today.adding == nil)
    }
}
