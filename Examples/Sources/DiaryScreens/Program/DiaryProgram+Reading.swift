import FoodDiaryKit
import QueryKit
import Terminal

extension DiaryProgram {
    func today(_ word: DayWord) async throws {
        let day = word.day(today: today)
        if day == today {
            async let entries = diary.todayEntries
            async let total = diary.currentTotal
            return try show(DayScreen(day: day, entries: try await entries, total: try await total))
        }
        async let entries = diary.fetchEntries(for: day)
        async let total = diary.client.fetch(DailyTotal.total(on: day))
        try show(DayScreen(day: day, entries: try await entries, total: try await total))
    }

    func search(_ typed: String, _ category: IngredientCategory?, limit: Int) async throws {
        let found = try await diary.client.fetch(Ingredient.search(typed, category: category, limit: limit))
        try show(SearchScreen(typed: typed, found: found))
        if found.isEmpty { try await tellIfEmpty() }
    }

    /// Explains why a search finds nothing if the diary has no ingredients.
    private func tellIfEmpty() async throws {
        guard try await diary.fetchPopularIngredients(limit: 1).isEmpty else { return }
        console.remark("The diary has no ingredients yet; import some with: food-diary import foods.csv --kind ingredients")
    }

    /// Writes the context for a language model, which is the same with and without `--json`.
    func context(_ text: String, tokens: Int?) async throws {
        let context = IngredientContext(try await diary.fetchRelevantIngredients(for: text), tokenBudget: tokens ?? 1_500)
        try console.write(text: context.json + "\n")
        guard context.omittedCount > 0 else { return }
        let count = Number.count(context.omittedCount, "ingredient", "ingredients")
        console.remark(Line("\(count) didn't fit; for more use: --tokens \((tokens ?? 1_500) * 2)", .faint))
    }

    func month(_ month: FoodMonth?, _ start: WeekStart) async throws {
        let month = month ?? FoodMonth(today)
        try show(MonthScreen(month: month, totals: try await diary.fetchTotals(for: month), today: today, weekStart: start.weekday))
    }

    func trends(_ period: Period) async throws {
        let days = try period.shown(today: today)
        async let totals = diary.fetchTotals(in: days)
        async let energy = diary.averageDailyCalories(in: days)
        async let macros = diary.averageDailyMacros(in: days)
        async let most = diary.mostConsumedIngredients(in: days, limit: 8)
        try show(
            TrendsScreen(
                days: days,
                totals: try await totals,
                averageEnergy: try await energy,
                averageMacros: try await macros,
                most: try await most
            )
        )
    }

    func stats(_ period: Period) async throws {
        let days = try period.shown(today: today)
        async let count = diary.totalEntries(in: days)
        async let confidence = diary.averageConfidence(in: days)
        async let hours = diary.entriesByHourOfDay(in: days)
        try show(StatsScreen(days: days, entryCount: try await count, averageConfidence: try await confidence, hours: try await hours))
    }

    /// The contents of a report over some days.
    func contents(of days: ClosedRange<FoodDay>) async throws -> DiaryReport {
        async let totals = diary.fetchTotals(in: days)
        async let summary = diary.fetchSummary(in: days)
        async let hours = diary.entriesByHourOfDay(in: days)
        async let most = diary.mostConsumedIngredients(in: days, limit: 12)
        return DiaryReport(
            days: days,
            today: today,
            totals: try await totals,
            summary: try await summary,
            hours: try await hours,
            most: try await most
        )
    }
}
