public import QueryKit

extension FoodDiary: TodayEntriesQuery {
    public var todayEntries: [FoodEntry] { get async throws { try await client.fetch(FoodEntry.today) } }

    @discardableResult
    public func refreshTodayEntries() async throws -> [FoodEntry] { try await client.store(for: FoodEntry.today).fetch() }

    public func observeTodayEntries() -> AsyncStream<[FoodEntry]> { client.store(for: FoodEntry.today).values(keeping: self) }
}

extension FoodDiary: CurrentDailyTotalQuery {
    public var currentTotal: DailyTotal { get async throws { try await client.fetch(DailyTotal.today) } }

    @discardableResult
    public func refreshCurrentTotal() async throws -> DailyTotal { try await client.store(for: DailyTotal.today).fetch() }

    public func observeCurrentTotal() -> AsyncStream<DailyTotal> { client.store(for: DailyTotal.today).values(keeping: self) }
}

extension FoodDiary: DateRangeTotalsQuery {
    public func fetchTotals(in days: ClosedRange<FoodDay>) async throws -> [DailyTotal] {
        try await client.fetch(DailyTotal.totals(in: days))
    }

    public func fetchTotals(for month: FoodMonth) async throws -> [DailyTotal] { try await client.fetch(DailyTotal.totals(for: month)) }

    public func fetchTotals(for year: Int) async throws -> [DailyTotal] {
        guard let first = FoodDay(year: year, month: 1, day: 1), let last = FoodDay(year: year, month: 12, day: 31) else {
            throw QueryError(
                .invalidParameters,
                "The year \(year) does not exist: use one between 1 and 9999.",
                path: TotalsOfDays.path
            )
        }
        return try await fetchTotals(in: first...last)
    }

    public func totalPages(
        in days: ClosedRange<FoodDay>
    ) -> QueryStore<QueryState<QueryPages<FoodDay, [DailyTotal]>?, QueryPages<FoodDay, [DailyTotal]>>> {
        client.store(for: TotalPages(days: days))
    }
}

extension FoodDiary: HistoricalEntriesQuery {
    public func fetchEntries(for day: FoodDay) async throws -> [FoodEntry] { try await client.fetch(FoodEntry.entries(on: day)) }

    public func fetchEntries(in days: ClosedRange<FoodDay>) async throws -> [FoodEntry] {
        try await client.fetch(FoodEntry.entries(in: days))
    }

    public func fetchRecentEntries(limit: Int) async throws -> [FoodEntry] { try await client.fetch(FoodEntry.recent(limit: limit)) }

    public func fetchSummary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        try await client.fetch(NutritionalSummary.summary(in: days))
    }
}

extension FoodDiary: IngredientSearchQuery {
    public func searchIngredients(query: String) async throws -> [Ingredient] { try await client.fetch(Ingredient.search(query)) }

    public func searchIngredients(query: String, category: IngredientCategory) async throws -> [Ingredient] {
        try await client.fetch(Ingredient.search(query, category: category))
    }

    public func searchIngredients(query: String, limit: Int) async throws -> [Ingredient] {
        try await client.fetch(Ingredient.search(query, limit: limit))
    }
}

extension FoodDiary: LLMContextQuery {
    public func fetchRelevantIngredients(for text: String) async throws -> [Ingredient] {
        try await client.fetch(Ingredient.relevant(for: text))
    }

    public func fetchIngredientsByIds(_ ids: [Ingredient.ID]) async throws -> [Ingredient] {
        try await client.fetch(Ingredient.ingredients(ids))
    }

    public func fetchPopularIngredients(limit: Int) async throws -> [Ingredient] {
        try await client.fetch(Ingredient.popular(limit: limit))
    }
}

extension FoodDiary: NutritionalTrendsQuery {
    public func averageDailyCalories(in days: ClosedRange<FoodDay>) async throws -> Double? {
        try await fetchSummary(in: days).averagePerDay?.kilocalories
    }

    public func averageDailyMacros(in days: ClosedRange<FoodDay>) async throws -> Macronutrients? {
        try await fetchSummary(in: days).averagePerDay?.macronutrients
    }

    public func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] {
        try await client.fetch(IngredientConsumption.most(in: days, limit: limit))
    }
}

extension FoodDiary: UsageStatsQuery {
    public func totalEntries(in days: ClosedRange<FoodDay>) async throws -> Int {
        try await client.fetch(UsageOfDays(days: days)).entryCount
    }

    public func averageConfidence(in days: ClosedRange<FoodDay>) async throws -> Double? {
        try await client.fetch(UsageOfDays(days: days)).averageConfidence
    }

    public func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] {
        try await client.fetch(NutritionalSummary.entriesByHour(in: days))
    }
}
