public import QueryKit

/// A food diary: one facade over a client and the diary's repositories, for view models and use cases that should depend on neither.
///
/// Conforms to the eight contracts (``TodayEntriesQuery``, ``CurrentDailyTotalQuery``, ``DateRangeTotalsQuery``,
/// ``HistoricalEntriesQuery``, ``IngredientSearchQuery``, ``LLMContextQuery``, ``NutritionalTrendsQuery``, ``UsageStatsQuery``), so you can
/// pass each view model only the contract that it needs. Results are shared with all code that uses the same requests of the same client.
///
/// ```swift
/// let diary = FoodDiary(FoodDiaryRepositories(InMemoryFoodDiary()))
/// for await entries in diary.observeTodayEntries() { show(entries) }
/// ```
public final class FoodDiary: Sendable {
    /// The client that runs the diary's requests.
    public let client: QueryClient

    /// Creates a diary for a client whose context has a `foodDiary`. From then on the client follows the calendar: when a new day begins,
    /// all dated requests are invalidated, and when the app becomes active, stale values are released. Creating a second diary for the same
    /// client has no further effect.
    public init(client: QueryClient) {
        self.client = client
        DiaryCalendar.follow(client)
    }

    /// Creates a diary over repositories, with a new client.
    public convenience init(
        _ repositories: FoodDiaryRepositories,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration()
    ) {
        var context = context
        context.foodDiary = repositories
        self.init(client: QueryClient(context: context, configuration: configuration))
    }

    /// Client settings for the diary's requests: the target durations of their p95 alerts. An alert is raised at twice the target.
    public static func configuration(_ base: QueryClient.Configuration = QueryClient.Configuration()) -> QueryClient.Configuration {
        var configuration = base
        configuration.metricsDepth = max(base.metricsDepth, 3)
        configuration.alerts.p95Targets.merge(DiaryBudget.targets) { set, _ in set }
        return configuration
    }
}

/// The time that requests may take according to the contracts. An alert is raised at twice that time.
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
