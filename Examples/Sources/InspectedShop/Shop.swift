import QueryKit
import QueryKitSQLite

/// A small shop with something to look at in the inspector: stock that each sale changes in the
/// database, and prices without observers.
struct Shop: Sendable {
    static let articles = 1...6

    let client: QueryClient
    private let database: SQLiteDatabase

    init() async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.name = "shop"
        let database = try await SQLiteDatabase.open(.inMemory, migrations: [Self.schema], configuration: configuration)
        client = QueryClient()
        client.connect(to: database)
        try await database.write { db in
            for article in Self.articles { try db.execute("INSERT INTO stock VALUES (\(article), 1000)") }
        }
        self.database = database
    }

    private static let schema = SQLiteMigration(
        "stock",
        "CREATE TABLE stock (id INTEGER PRIMARY KEY, count INTEGER NOT NULL)"
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

    /// The price of an article, in cents.
    func price(of article: Int) -> InlineQuery<Int> {
        InlineQuery("prices", article) { _ in article * 100 - 1 }
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

    /// Fetches all prices once, and observes the stock of all articles for as long as the
    /// subscriptions are kept.
    func open() async throws -> [QuerySubscription] {
        for article in Self.articles { _ = try await client.fetch(price(of: article)) }
        return Self.articles.map { article in
            client.store(for: stock(of: article))
                .subscribe(with: QueryEventHandler { _, _ in })
        }
    }
}
