public import QueryKit

/// A food diary: one facade over a client and the diary's repositories, for view models and use cases that want to know neither.
///
/// It conforms to the eight contracts (``TodayEntriesQuery``, ``CurrentDailyTotalQuery``, ``DateRangeTotalsQuery``, ``HistoricalEntriesQuery``,
/// ``IngredientSearchQuery``, ``LLMContextQuery``, ``NutritionalTrendsQuery``, ``UsageStatsQuery``), so that each of them is given only what it needs. What it
/// answers is shared with whoever uses the same client and the requests themselves.
///
/// ```swift
/// let diary = try await FoodDiary.open(.file(url))
/// for await entries in diary.observeTodayEntries() { show(entries) }
/// ```
public final class FoodDiary: Sendable {
    /// The client that answers.
    public let client: QueryClient

    /// The database beneath, if this diary was opened on one.
    public let database: SQLiteDatabase?

    /// A diary whose client has a `foodDiary` in its context. From then on the client follows the calendar: with a new day
    /// everything dated is out of date, and when the app comes forward what has expired goes. Another diary of the same client adds nothing to that.
    public convenience init(client: QueryClient) { self.init(client: client, database: nil) }

    /// A diary with a client of its own over some repositories.
    public convenience init(
        _ repositories: FoodDiaryRepositories,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration()
    ) {
        var context = context
        context.foodDiary = repositories
        self.init(client: QueryClient(context: context, configuration: configuration), database: nil)
    }

    private init(client: QueryClient, database: SQLiteDatabase?) {
        self.client = client
        self.database = database
        DiaryCalendar.follow(client)
    }

    /// Opens a diary in a database, makes it if it is not there, with a client that follows each commit.
    ///
    /// - Parameters:
    ///   - location: Where it lies.
    ///   - context: What the client finds around it: clock, time zone, activity. Default: an empty one, which the client completes from the system.
    ///   - configuration: How the client works. Default: ``configuration(_:)``.
    ///   - databaseConfiguration: How the database is opened.
    public static func open(
        _ location: SQLiteDatabase.Location,
        context: QueryContext = QueryContext(),
        configuration: QueryClient.Configuration = FoodDiary.configuration(),
        databaseConfiguration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()
    ) async throws -> FoodDiary {
        let database = try await SQLiteDatabase.openFoodDiary(location, configuration: databaseConfiguration)
        var context = context
        context.foodDiary = FoodDiaryRepositories(database)
        let client = QueryClient(context: context, configuration: configuration)
        client.connect(to: database)
        return FoodDiary(client: client, database: database)
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
