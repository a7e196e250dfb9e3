import QueryKit
import QueryKitSQLite

/// A small shop with something to look at in the inspector: stock that each sale changes in the
/// database, a count that scans a table, prices in a cache, and deliveries that always fail.
struct Shop: Sendable {
    static let articles = 1...6

    let client: QueryClient
    private let database: SQLiteDatabase
    private let cache = MemoryQueryCache()

    init() async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.name = "shop"
        let database = try await SQLiteDatabase.open(.inMemory, migrations: [Self.schema], configuration: configuration)
        // So that the page can turn the network off, even where there is none.
        var context = QueryContext()
        context.networkObserver = ManualNetworkObserver()
        context.mutationJournal = MemoryMutationJournal()
        context.shopDatabase = database
        var settings = QueryClient.Configuration()
        settings.setLimit(1, matching: "deliveries/**")
        client = QueryClient(context: context, configuration: settings)
        client.connect(to: database)
        try await database.write { db in
            for article in Self.articles { try db.execute("INSERT INTO stock VALUES (\(article), 1000)") }
            for order in 0..<3_000 { try db.execute("INSERT INTO orders (article) VALUES (\(order % 6 + 1))") }
        }
        self.database = database
    }

    private static let schema = SQLiteMigration(
        "stock and orders",
        """
        CREATE TABLE stock (id INTEGER PRIMARY KEY, count INTEGER NOT NULL);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, article INTEGER NOT NULL);
        """
    )

    /// How many pieces of an article are left.
    func stock(of article: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        InlineQuery("stock", article) { [database] _ in
            try await database.read { db in
                try db.value("SELECT count FROM stock WHERE id = \(article)") ?? 0
            }
        }
        .freshUntilChanged()
    }

    /// How many orders of last year contain an article. No index helps, so the inspector shows a
    /// warning.
    func orders(of article: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        InlineQuery("orders", article) { [database] _ in
            try await database.read { db in
                try db.value("SELECT count(*) FROM orders WHERE article = \(article)") ?? 0
            }
        }
        .freshUntilChanged()
    }

    /// The price of an article, in cents.
    func price(of article: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        InlineQuery("prices", article) { _ in article * 100 - 1 }
            .keep(for: .seconds(24 * 3600))
            .persisted(in: cache)
    }

    /// When an article is delivered, which the carrier never tells. One article is asked for at a
    /// time, and that takes so long that others always wait in line.
    func delivery(of article: Int) -> some QueryRequest<Int, QueryState<Int?, Int>> {
        InlineQuery("deliveries", article) { _ in
            try await Task.sleep(for: .milliseconds(250))
            throw CarrierUnavailable()
        }
    }

    /// Sells one piece of an article. The stock shows one less before the database has changed.
    var sale: some MutationRequest<Int, Void> {
        InlineMutation("sales/add") { [database] (article: Int, _) in
            try await database.write { db in
                try db.execute("UPDATE stock SET count = count - 1 WHERE id = \(article)")
            }
        }
        .optimistic { article, layers in layers.update(stock(of: article)) { $0 -= 1 } }
    }

    /// Orders an article again, so that the shop never runs out of it.
    func reorder(_ article: Int) async throws { try await client.mutate(Reorder(), with: article) }

    /// Fetches all prices once, and observes the orders of an article and the stock of all for as
    /// long as the subscriptions are kept.
    func open() async throws -> [QuerySubscription] {
        for article in Self.articles { _ = try await client.fetch(price(of: article)) }
        let ignore = QueryEventHandler<QueryState<Int?, Int>> { _, _ in }
        return [client.store(for: orders(of: 1)).subscribe(with: ignore)]
            + Self.articles.map { client.store(for: stock(of: $0)).subscribe(with: ignore) }
    }
}

/// Why a delivery is unknown.
struct CarrierUnavailable: Error {}
