#if Postgres
import Foundation
import QueryKitPostgres

/// A new database on the server, and another one with the same rows for the floor. Both are dropped at the end.
final class PostgresFixture: Sendable {
    struct MissingServer: Error, CustomStringConvertible {
        let description = "this case needs a server, whose URL is in QUERYKIT_POSTGRES: make bench-postgres starts one."
    }

    private static let table = """
        CREATE TABLE food (id bigint PRIMARY KEY, name text NOT NULL, kcal float8 NOT NULL, grams bigint NOT NULL, category text)
        """
    private static let rows = """
        INSERT INTO food SELECT i, 'Food with the number ' || i, i % 900 + 0.5, i % 500, CASE WHEN i % 3 > 0 THEN 'category ' || i % 20 END
        FROM generate_series(0, 9999) i
        """

    let database: PostgresDatabase
    let url: String
    private let server: String
    private let name: String

    /// - Parameter setting: A setting of the database on the server, such as `querykit.notify = 'off'`.
    init(setting: String? = nil, _ change: (inout PostgresDatabase.Configuration) -> Void = { _ in }) async throws {
        guard let server = ProcessInfo.processInfo.environment["QUERYKIT_POSTGRES"] else { throw MissingServer() }
        self.server = server
        name = "bench_" + UUID().uuidString.lowercased().replacing("-", with: "")
        let admin = RawPostgres(server)
        for name in [name, name + "_raw"] {
            admin.run("CREATE DATABASE \(name)")
            let database = RawPostgres(Self.url(of: name, on: server))
            database.run(Self.table)
            database.run(Self.rows)
            database.run("VACUUM ANALYZE food")
        }
        if let setting { admin.run("ALTER DATABASE \(name) SET \(setting)") }
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 20
        change(&configuration)
        url = Self.url(of: name, on: server)
        database = try await PostgresDatabase.open(url, configuration: configuration)
    }

    private static func url(of name: String, on server: String) -> String { server.replacing("/postgres?", with: "/\(name)?") }

    /// A connection to the database of the floor.
    func raw() -> RawPostgres {
        RawPostgres(
            Self.url(of: name + "_raw", on: server),
            [
                "begin.read": ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", []), "begin": ("BEGIN", []), "commit": ("COMMIT", []),
                "select": (
                    "SELECT id, name, kcal, grams, category FROM food WHERE id >= $1 ORDER BY id LIMIT $2",
                    [RawValue.integerType, RawValue.integerType]
                ),
                "replace": (
                    """
                    INSERT INTO food (id, name, kcal, grams, category) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET
                        (name, kcal, grams, category) = (excluded.name, excluded.kcal, excluded.grams, excluded.category)
                    """,
                    [RawValue.integerType, RawValue.textType, RawValue.realType, RawValue.integerType, RawValue.textType]
                ),
            ]
        )
    }

    deinit {
        let (server, names) = (server, [name, name + "_raw"])
        let admin = RawPostgres(server)
        for name in names { admin.run("DROP DATABASE \(name) WITH (FORCE)") }
    }
}

extension Food: PostgresRowDecodable {
    init(row: borrowing PostgresRow) throws {
        self.init(id: try row[0], name: try row[1], kilocalories: try row[2], grams: try row[3], category: try row[4])
    }

    /// For a statement of the floor.
    var values: [RawValue] {
        [.integer(id), .text(name), .real(kilocalories), .integer(Int64(grams)), category.map { .text($0) } ?? .null]
    }
}

extension SQL {
    static func select(from first: Int, _ count: Int) -> SQL {
        "SELECT id, name, kcal, grams, category FROM food WHERE id >= \(first) ORDER BY id LIMIT \(count)"
    }
}

extension PostgresDatabase {
    func replace(_ food: Food) async throws {
        try await write { db in
            try await db.execute(
                """
                INSERT INTO food (id, name, kcal, grams, category)
                VALUES (\(food.id), \(food.name), \(food.kilocalories), \(food.grams), \(food.category)) ON CONFLICT (id) DO UPDATE SET
                    (name, kcal, grams, category) = (excluded.name, excluded.kcal, excluded.grams, excluded.category)
                """
            )
        }
    }
}
#endif
