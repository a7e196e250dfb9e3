public import QueryKit

extension NutritionalSummary {
    /// What some days come to, all in all and a day. Read anew each time.
    public static func summary(
        in days: ClosedRange<FoodDay>
    ) -> some QueryRequest<NutritionalSummary, QueryState<NutritionalSummary?, NutritionalSummary>> {
        SummaryOfDays(days: days)
    }

    /// The same, behind what others wait for: for screens about how the diary is used.
    public static func usage(
        in days: ClosedRange<FoodDay>
    ) -> some QueryRequest<NutritionalSummary, QueryState<NutritionalSummary?, NutritionalSummary>> {
        UsageOfDays(days: days)
    }

    /// How many entries there are at each hour of the day: 24 numbers. Read anew each time, behind what others wait for.
    public static func entriesByHour(in days: ClosedRange<FoodDay>) -> some QueryRequest<[Int], QueryState<[Int]?, [Int]>> {
        EntriesByHour(days: days)
    }
}

extension IngredientConsumption {
    /// What was eaten most on some days, by the number of entries; at most 100. Read anew each time.
    public static func most(
        in days: ClosedRange<FoodDay>,
        limit: Int = 10
    ) -> some QueryRequest<[IngredientConsumption], QueryState<[IngredientConsumption]?, [IngredientConsumption]>> {
        MostConsumed(days: days, limit: limit)
    }
}

struct SummaryOfDays: DiaryRequest {
    typealias Value = NutritionalSummary

    let days: ClosedRange<FoodDay>

    var place: QueryPath { QueryPath(["diary", "trends", "summary"]).appending(days) }
    var freshness: Duration { DiaryFreshness.statistics }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> NutritionalSummary {
        try await diary.nutrition.summary(in: days)
    }
}

struct MostConsumed: DiaryRequest {
    typealias Value = [IngredientConsumption]

    let days: ClosedRange<FoodDay>
    let limit: Int

    var place: QueryPath { QueryPath(["diary", "trends", "most"]).appending(days).appending(limit) }
    var freshness: Duration { DiaryFreshness.statistics }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [IngredientConsumption] {
        try await diary.nutrition.mostConsumedIngredients(in: days, limit: min(limit, 100))
    }
}

struct EntriesByHour: DiaryRequest {
    typealias Value = [Int]

    let days: ClosedRange<FoodDay>

    var place: QueryPath { QueryPath(["diary", "stats", "hours"]).appending(days) }
    var isInBackground: Bool { true }
    var freshness: Duration { DiaryFreshness.statistics }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [Int] {
        try await diary.nutrition.entriesByHourOfDay(in: days)
    }
}

/// The same numbers as ``SummaryOfDays``, for those who want them in the background.
struct UsageOfDays: DiaryRequest {
    typealias Value = NutritionalSummary

    let days: ClosedRange<FoodDay>

    var place: QueryPath { QueryPath(["diary", "stats", "usage"]).appending(days) }
    var isInBackground: Bool { true }
    var freshness: Duration { DiaryFreshness.statistics }

    func validate(in context: QueryContext) throws { try days.check(for: path) }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> NutritionalSummary {
        try await diary.nutrition.summary(in: days)
    }
}
