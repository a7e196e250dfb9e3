import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct FoodDiaryReadTests {
    @Test(arguments: FoodBench.Kind.allCases)
    func `today's entries are those of today, newest first`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        #expect(try await bench.diary.todayEntries.isEmpty)
        try await bench.write(100, hours: -2)
        try await bench.write(200, days: -1)
        try await bench.write(300, hours: -1)
        #expect(try await bench.diary.todayEntries.map(\.grams) == [300, 100])
        let total = try await bench.diary.currentTotal
        #expect(total.day == FoodBench.friday && total.entryCount == 2)
        #expect(total.nutrients.kilocalories == 520)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R18 fetches are answered from memory until a commit touches the value`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let store = bench.client.store(for: FoodEntry.today)
        for _ in 0..<3 { _ = try await bench.diary.todayEntries }
        #expect(store.valueUpdateCount == 1)
        try await bench.write(100, days: -1)
        _ = try await bench.diary.todayEntries
        #expect(store.valueUpdateCount == 1)
        try await bench.write(100)
        #expect(try await bench.diary.todayEntries.count == 1)
        #expect(store.valueUpdateCount == 2)
        try await bench.diary.refreshTodayEntries()
        #expect(store.valueUpdateCount == 3)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R18 a commit reruns the requests that show its day, and no others`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let (friday, monday) = (FoodBench.friday, FoodBench.friday.advanced(by: -4))
        let today = await bench.watch(FoodEntry.today)
        let total = await bench.watch(DailyTotal.today)
        let other = await bench.watch(FoodEntry.entries(on: monday))
        let week = await bench.watch(DailyTotal.totals(in: friday.week(startingOn: .monday)))
        let before = await bench.watch(DailyTotal.totals(in: monday.advanced(by: -20)...monday.advanced(by: -1)))
        let popular = await bench.watch(Ingredient.popular())
        let counts = {
            [
                today.store.valueUpdateCount, total.store.valueUpdateCount, other.store.valueUpdateCount, week.store.valueUpdateCount,
                before.store.valueUpdateCount, popular.store.valueUpdateCount,
            ]
        }
        #expect(counts() == [1, 1, 1, 1, 1, 1])
        try await bench.write(100)
        await bench.client.settled()
        #expect(counts() == [2, 2, 1, 2, 1, 2])
        try await bench.write(100, days: -4)
        await bench.client.settled()
        #expect(counts() == [2, 2, 2, 3, 1, 3])
        #expect(total.store.state.cause.region?.unredacted == "diary/daily_totals/20261120" || kind == .sqlite)
        withExtendedLifetime([
            today.subscription, total.subscription, other.subscription, week.subscription, before.subscription, popular.subscription,
        ]) {}
    }

    @Test func `requests have the freshness stated in the contracts`() async throws {
        let bench = try await FoodBench()
        let days = FoodBench.friday...FoodBench.friday
        func ttl(_ request: some QueryRequest) -> Duration {
            var context = QueryContext()
            request.setup(context: &context)
            #expect(context.networkMode == .offlineFirst)
            // Values that are still fresh are still there.
            #expect(context.retention == context.ttl)
            return context.ttl
        }
        #expect(ttl(FoodEntry.today) == .seconds(300))
        #expect(ttl(DailyTotal.today) == .seconds(300))
        for duration in [
            ttl(DailyTotal.totals(in: days)), ttl(DailyTotal.total(on: FoodBench.friday)), ttl(DailyTotal.pages(in: days)),
            ttl(FoodEntry.entries(in: days)), ttl(FoodEntry.recent(limit: 5)), ttl(FoodEntry.pages(in: days)),
        ] {
            #expect(duration == .seconds(3600))
        }
        for duration in [
            ttl(Ingredient.search("oat")), ttl(Ingredient.relevant(for: "oat")), ttl(Ingredient.popular()), ttl(Ingredient.ingredients([])),
        ] {
            #expect(duration == .seconds(1800))
        }
        for duration in [
            ttl(NutritionalSummary.summary(in: days)), ttl(IngredientConsumption.most(in: days)),
            ttl(NutritionalSummary.entriesByHour(in: days)), ttl(NutritionalSummary.usage(in: days)),
        ] {
            #expect(duration == .zero)
        }
        // And they expire: after five minutes today is read again.
        let watched = await bench.watch(FoodEntry.today)
        let store = watched.store
        _ = try await bench.diary.todayEntries
        bench.clock.advance(by: .seconds(299))
        _ = try await bench.diary.todayEntries
        #expect(store.valueUpdateCount == 1)
        bench.clock.advance(by: .seconds(2))
        _ = try await bench.diary.todayEntries
        #expect(store.valueUpdateCount == 2)
        withExtendedLifetime(watched.subscription) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `history, totals and statistics cover days, months and years`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let diary = bench.diary
        for day in [0, -1, -30, -400] { try await bench.write(100, days: day) }
        try await bench.write(50, days: -1, hours: 2)
        let (today, yesterday) = (FoodBench.friday, FoodBench.friday.advanced(by: -1))
        #expect(try await diary.fetchEntries(for: yesterday).map(\.grams) == [50, 100])
        #expect(try await diary.fetchEntries(in: yesterday...today).map(\.grams) == [100, 50, 100])
        #expect(try await diary.fetchRecentEntries(limit: 2).map(\.grams) == [100, 50])
        #expect(try await diary.fetchTotals(in: yesterday...today).map(\.entryCount) == [1, 2])
        #expect(try await diary.fetchTotals(for: FoodMonth(today)).map(\.day) == [today, yesterday])
        #expect(try await diary.fetchTotals(for: 2026).count == 3)
        #expect(try await diary.fetchTotals(for: 2024).isEmpty)
        let summary = try await diary.fetchSummary(in: yesterday...today)
        #expect(summary.loggedDays == 2 && summary.entryCount == 3)
        #expect(try await diary.averageDailyCalories(in: yesterday...today) == 162.5)
        #expect(try await diary.averageDailyMacros(in: yesterday...today)?.carbohydrates == 35)
        #expect(try await diary.averageDailyCalories(in: today.advanced(by: 1)...today.advanced(by: 2)) == nil)
        #expect(try await diary.mostConsumedIngredients(in: yesterday...today, limit: 3).map(\.grams) == [250])
        #expect(try await diary.totalEntries(in: yesterday...today) == 3)
        #expect(try await diary.averageConfidence(in: yesterday...today) == 1)
        let hours = try await diary.entriesByHourOfDay(in: yesterday...today)
        #expect(hours.count == 24 && hours[12] == 2 && hours[14] == 1)
        #expect(try await diary.fetchPopularIngredients(limit: 1).map(\.name) == ["Rice"])
        #expect(try await diary.fetchIngredientsByIds([bench.bread.id, bench.rice.id]).map(\.name) == ["Rye bread", "Rice"])
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R18 observed statistics follow commits too`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let days = FoodBench.friday.advanced(by: -365)...FoodBench.friday
        let summary = await bench.watch(NutritionalSummary.summary(in: days))
        let most = await bench.watch(IngredientConsumption.most(in: days))
        let hours = await bench.watch(NutritionalSummary.entriesByHour(in: days))
        try await bench.write(100, days: -200)
        await bench.client.settled()
        #expect(summary.store.value?.entryCount == 1)
        #expect(most.store.value?.first?.grams == 100)
        // In summer the same time of day is an hour later on the clock.
        #expect(hours.store.value?[13] == 1)
        withExtendedLifetime([summary.subscription, most.subscription, hours.subscription]) {}
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `R25 a page contains whole days, and a commit reruns only its page`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        for day in [0, -6, -7, -13, -14, -20] { try await bench.write(Double(100 - day), days: day) }
        let days = FoodBench.friday.advanced(by: -20)...FoodBench.friday
        let pages = bench.client.store(for: EntryPages(days: days))
        _ = try await pages.fetch()
        _ = try await pages.fetchNextPage()
        _ = try await pages.fetchNextPage()
        #expect(pages.value?.map { $0.value.map(\.grams) } == [[100, 106], [107, 113], [114, 120]])
        #expect(pages.value?.nextPageID == nil)
        let subscription = pages.subscribe(with: QueryEventHandler { _, _ in })
        await bench.client.settled()
        try await bench.write(500, days: -10)
        await bench.client.settled()
        #expect(pages.value?.map { $0.value.map(\.grams) } == [[100, 106], [107, 500, 113], [114, 120]])
        let totals = bench.diary.totalPages(in: FoodBench.friday.advanced(by: -40)...FoodBench.friday)
        _ = try await totals.fetch()
        _ = try await totals.fetchNextPage()
        #expect(totals.value?.map(\.value.count) == [7, 0])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a request for too much, or an invalid one, is refused before any work`() async throws {
        let bench = try await FoodBench()
        let day = FoodBench.friday
        await #expect(throws: QueryError.self) { try await bench.diary.fetchEntries(in: day.advanced(by: -366)...day) }
        _ = try await bench.diary.fetchEntries(in: day.advanced(by: -365)...day)
        await #expect(throws: QueryError.self) { try await bench.diary.fetchTotals(in: day.advanced(by: -3653)...day) }
        _ = try await bench.diary.fetchTotals(in: day.advanced(by: -3652)...day)
        let ids = (1...1001).map { Ingredient.ID(rawValue: $0) }
        let error = await #expect(throws: QueryError.self) { try await bench.diary.fetchIngredientsByIds(ids) }
        #expect(error?.message == "1001 ingredients are too many for one request: request at most 1,000.")
    }

    @Test func `a year that does not exist is refused with the same error as too many days`() async throws {
        let bench = try await FoodBench()
        for year in [0, -1, 10_000, .min, .max] {
            let error = await #expect(throws: QueryError.self) { try await bench.diary.fetchTotals(for: year) }
            #expect(error?.code == .invalidParameters && error?.path == ["diary", "totals", "days"])
            #expect(error?.message == "The year \(year) does not exist: use one between 1 and 9999.")
        }
        #expect(try await bench.diary.fetchTotals(for: 9999).isEmpty)
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `every request for a day made from a NaN date is refused`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        try await bench.write(100)
        let (diary, client) = (bench.diary, bench.client)
        let day = FoodDay(Date(timeIntervalSince1970: .nan), in: .gmt)
        let reads: [@Sendable (ClosedRange<FoodDay>) async throws -> Void] = [
            { _ = try await diary.fetchEntries(for: $0.lowerBound) }, { _ = try await diary.fetchEntries(in: $0) },
            { _ = try await client.fetch(DailyTotal.total(on: $0.lowerBound)) }, { _ = try await diary.fetchTotals(in: $0) },
            { _ = try await diary.fetchSummary(in: $0) }, { _ = try await diary.mostConsumedIngredients(in: $0, limit: 1) },
            { _ = try await diary.totalEntries(in: $0) }, { _ = try await diary.entriesByHourOfDay(in: $0) },
            { _ = try await client.fetch(FoodEntry.pages(in: $0)) }, { _ = try await client.fetch(DailyTotal.pages(in: $0)) },
        ]
        for (number, read) in reads.enumerated() {
            for days in [day...day, day...FoodDay.range.lowerBound] {
                let error = await #expect(throws: QueryError.self, "\(number)") { try await read(days) }
                #expect(error?.code == .invalidParameters)
                #expect(error?.message == "The day is invalid: it was created from a Date that is not a number.")
            }
        }
        await #expect(throws: FoodDiaryError.self) {
            try await bench.entries.add(FoodEntry.Draft(bench.rice, grams: 1, at: FoodMoment(Date(timeIntervalSince1970: .nan), in: .gmt)))
        }
    }

    @Test func `pages end with the first representable day, and contain it once`() async throws {
        let bench = try await FoodBench()
        let first = FoodDay.range.lowerBound
        let draft = FoodEntry.Draft(bench.rice, grams: 10, at: FoodMoment(first.start(in: .gmt), in: .gmt))
        _ = try await bench.repositories.entries.add(draft)
        for days in [1, 4, 7, 8, 31, 32] {
            let range = first...first.advanced(by: days - 1)
            let (entries, totals) = (bench.client.store(for: EntryPages(days: range)), bench.client.store(for: TotalPages(days: range)))
            _ = try await entries.fetch()
            _ = try await totals.fetch()
            while entries.state.hasNextPage { _ = try await entries.fetchNextPage() }
            while totals.state.hasNextPage { _ = try await totals.fetchNextPage() }
            #expect(entries.value?.flatMap(\.value).count == 1 && entries.value?.count == (days + 6) / 7)
            #expect(totals.value?.flatMap(\.value).count == 1 && totals.value?.count == (days + 30) / 31)
        }
    }

    @Test(arguments: FoodBench.Kind.allCases)
    func `unlimited lists and the range of all days can be requested`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        let entry = try await bench.write(100)
        for limit in [0, -3, Int.min] {
            #expect(try await bench.diary.searchIngredients(query: "rice", limit: limit).isEmpty)
            #expect(try await bench.diary.fetchRecentEntries(limit: limit).isEmpty)
            #expect(try await bench.diary.fetchPopularIngredients(limit: limit).isEmpty)
            #expect(try await bench.diary.mostConsumedIngredients(in: FoodDay.range, limit: limit).isEmpty)
        }
        #expect(try await bench.diary.fetchRecentEntries(limit: .max) == [entry])
        #expect(try await bench.diary.totalEntries(in: FoodDay.range) == 1)
        #expect(try await bench.diary.entriesByHourOfDay(in: FoodDay.range).reduce(0, +) == 1)
        await #expect(throws: QueryError.self) { try await bench.diary.fetchTotals(in: FoodDay.range) }
        await #expect(throws: QueryError.self) { try await bench.diary.fetchEntries(in: FoodDay.range) }
    }

    @Test func `more entries than a list can hold are an error, and none are left out silently`() async throws {
        let week = FoodBench.friday.advanced(by: -6)...FoodBench.friday
        // Together with the entry itself these are one more than allowed.
        for (crowd, isTooMuch) in [(49_999, false), (50_000, true)] {
            let bench = try await FoodBench(.memory, crowd: crowd)
            try await bench.write(100)
            let reads: [@Sendable () async throws -> Int] = [
                { try await bench.diary.todayEntries.count }, { try await bench.diary.fetchEntries(in: week).count },
                {
                    let pages = bench.client.store(for: EntryPages(days: week))
                    _ = try await pages.fetch()
                    return pages.value?.first?.value.count ?? 0
                },
            ]
            for (index, read) in reads.enumerated() {
                if isTooMuch {
                    let error = await #expect(throws: QueryError.self, "\(index)") { _ = try await read() }
                    #expect(error?.message.contains("more than 50000 entries") == true, "\(index)")
                } else {
                    #expect(try await read() == 50_000, "\(index)")
                }
            }
        }
    }

    @Test func `a client without a diary throws an error that says what is missing`() async throws {
        let client = QueryClient(configuration: .isolated)
        let error = await #expect(throws: QueryError.self) { try await client.fetch(FoodEntry.today) }
        #expect(error?.code == .invalidParameters)
        #expect(error?.message == "The context has no food diary: set context.foodDiary.")
    }

    @Test func `R27 the time budgets of requests are the targets of alerts`() {
        let configuration = FoodDiary.configuration()
        #expect(configuration.metricsDepth == 3)
        #expect(configuration.alerts.p95Targets["diary/entries/today"] == .milliseconds(100))
        #expect(configuration.alerts.p95Targets["diary/stats"] == .seconds(2))
        var base = QueryClient.Configuration.isolated
        base.alerts.p95Targets["diary/stats"] = .seconds(9)
        base.metricsDepth = 5
        let kept = FoodDiary.configuration(base)
        #expect(kept.alerts.p95Targets["diary/stats"] == .seconds(9) && kept.metricsDepth == 5)
    }
}
