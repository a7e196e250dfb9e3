public import QueryKit

extension NutritionalSummary {
    /// The total and the daily average of a range of days. The value is never fresh: each `fetch` and each new observer reads it again.
    public static func summary(
        in days: ClosedRange<FoodDay>
    ) -> some QueryRequest<NutritionalSummary, QueryState<NutritionalSummary?, NutritionalSummary>> {
        SummaryOfDays(days: days)
    }

    /// The summary of a range of days, read at lower priority, for screens with statistics about the use of the diary.
    public static func usage(
        in days: ClosedRange<FoodDay>
    ) -> some QueryRequest<NutritionalSummary, QueryState<NutritionalSummary?, NutritionalSummary>> {
        UsageOfDays(days: days)
    }

    /// The number of entries in each hour of the day: 24 numbers. The value is never fresh, and is read at lower priority.
    public static func entriesByHour(in days: ClosedRange<FoodDay>) -> some QueryRequest<[Int], QueryState<[Int]?, [Int]>> {
        EntriesByHour(days: days)
    }
}

extension IngredientConsumption {
    /// The most frequently eaten ingredients in a range of days, by number of entries; at most 100. The value is never fresh.
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

/// The same numbers as ``SummaryOfDays``, read in the background.
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
