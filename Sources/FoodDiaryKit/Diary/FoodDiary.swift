public import QueryKit

/// A food diary: one facade over a client and the diary's repositories, for view models and use cases that want to know neither.
///
/// It conforms to the eight contracts (``TodayEntriesQuery``, ``CurrentDailyTotalQuery``, ``DateRangeTotalsQuery``, ``HistoricalEntriesQuery``,
/// ``IngredientSearchQuery``, ``LLMContextQuery``, ``NutritionalTrendsQuery``, ``UsageStatsQuery``), so that each of them is given only what it needs. What it
/// answers is shared with whoever uses the same client and the requests themselves.
///
/// ```swift
/// let diary = FoodDiary(FoodDiaryRepositories(InMemoryFoodDiary()))
/// for await entries in diary.observeTodayEntries() { show(entries) }
/// ```
public final class FoodDiary: Sendable {
    /// The client that answers.
    public let client: QueryClient

    /// A diary whose client has a `foodDiary` in its context. From then on the client follows the calendar: with a new day
    /// everything dated is out of date, and when the app comes forward what has expired goes. Another diary of the same client adds nothing to that.
    public init(client: QueryClient) {
        self.client = client
        DiaryCalendar.follow(client)
    }

    /// A diary with a client of its own over some repositories.
    public convenience init(
        _ repositories: FoodDiaryRepositories,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration()
    ) {
        var context = context
        context.foodDiary = repositories
        self.init(client: QueryClient(context: context, configuration: configuration))
    }

    /// Settings for a client with the diary's requests: how long each may take before an alert is raised.
    public static func configuration(_ base: QueryClient.Configuration = QueryClient.Configuration()) -> QueryClient.Configuration {
        var configuration = base
        configuration.metricsDepth = max(base.metricsDepth, 3)
        configuration.alerts.p95Targets.merge(DiaryBudget.targets) { set, _ in set }
        return configuration
    }
}

/// How long requests may take, as the contracts say. The alert comes at twice as long.
enum DiaryBudget {
    static let targets: [QueryPath: Duration] = [
        "diary/entries/today": .milliseconds(100),
        "diary/totals/today": .milliseconds(50),
        "diary/totals": .milliseconds(500),
        "diary/entries": .milliseconds(200),
        "diary/ingredients/search": .milliseconds(100),
        "diary/ingredients": .milliseconds(50),
        "diary/trends": .seconds(1),
        "diary/stats": .seconds(2),
    ]
}
