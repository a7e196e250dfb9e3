import FoodDiaryKit
package import QueryKit

// The app reads entries, totals and ingredients with the requests of FoodDiaryKit. This file has the requests that only the app needs.

extension QueryDependencies {
    package var diaryDoctor: QueryDependency<any DiaryDoctor> { .required() }
    package var diarySettings: QueryDependency<any DiarySettings> { .required() }
}

/// A week or a month, counted back from the current one.
///
/// Its fetch computes the days and fetches other requests, so it runs again after commits that affect these. It has to be invalidated when
/// a new day begins.
struct TrendOfDays: QueryRequest {
    static let pattern: QueryPattern = "diary-app/trends/**"

    let span: TrendSpan
    let spansAgo: Int

    var path: QueryPath { ["diary-app", "trends", "\(span)", "\(spansAgo)"] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Trend>) async throws
        -> Trend
    {
        guard let client = context.queryClient else { throw CancellationError() }
        let today = FoodDay(context.clock.date, in: context.timeZone)
        let days = span.days(spansAgo, before: today, in: context.calendar)
        async let totals = client.fetch(DailyTotal.totals(in: days))
        async let summary = client.fetch(NutritionalSummary.summary(in: days))
        async let favorites = client.fetch(IngredientConsumption.most(in: days, limit: 5))
        return try await Trend(days, totals: totals, summary: summary, favorites: favorites)
    }
}

extension Trend {
    typealias Query = QueryState<Trend?, Trend>

    /// The trend of a span; the previous one stays until it is there.
    static func of(_ span: TrendSpan, spansAgo: Int) -> some QueryRequest<Trend, Query> {
        TrendOfDays(span: span, spansAgo: spansAgo).freshUntilChanged().keepingPrevious()
    }
}

extension DiaryHealth {
    static let path: QueryPath = "diary-app/health"

    static let current = InlineQuery<DiaryHealth>("diary-app/health") { context in
        try await context.diaryDoctor.health()
    }

    /// The notices disappear at once. If they can't be confirmed, they come back.
    static let acknowledge = InlineMutation<Void, Void>("diary-app/acknowledge") { _, context in
        try await context.diaryDoctor.acknowledge()
    }
    .optimistic { _, layers in layers.update(current) { $0.notices = [] } }
    .invalidates("diary-app/health")

    /// A check takes seconds, so it is a call that the user makes and not a query that follows each
    /// commit.
    static let check = InlineMutation<Void, FoodDiaryCheck>("diary-app/check") { _, context in
        try await context.diaryDoctor.check()
    }

    /// Rebuilds, and checks the result.
    static let repair = InlineMutation<Void, FoodDiaryCheck>("diary-app/repair") { _, context in
        try await context.diaryDoctor.rebuild()
        return try await context.diaryDoctor.check()
    }
}

extension EnergyGoal {
    static let current = InlineQuery<Int>("diary-app/goal") { context in
        try await context.diarySettings.energyGoal()
    }

    static let set = InlineMutation<Int, Void>("diary-app/set-goal") { goal, context in
        try await context.diarySettings.setEnergyGoal(goal)
    }
    .optimistic { goal, layers in layers.update(current, default: standard) { $0 = goal } }
    .invalidates("diary-app/goal")
}
