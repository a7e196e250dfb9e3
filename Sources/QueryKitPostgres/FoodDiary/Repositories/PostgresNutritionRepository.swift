#if Postgres
public import FoodDiaryKit
public import QueryKitPostgres

/// Nutrition statistics of a database, computed from daily totals if these are sufficient.
public struct PostgresNutritionRepository: NutritionRepository {
    private let database: PostgresDatabase

    /// Creates a repository for the statistics of a database.
    public init(_ database: PostgresDatabase) { self.database = database }

    public func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        try await database.read { db in
            let sql: SQL = """
                SELECT count(*), \(Self.sum("entry_count")), \(Self.sum("kilocalories")), \(Self.sum("protein")), \(Self.sum("carbohydrates")),
                    \(Self.sum("fat")), \(Self.sum("fiber")), \(Self.sum("sugar")), \(Self.sum("salt")), \(Self.sum("confidence"))
                FROM daily_totals WHERE \(days.contains("day")) \(days.claim(of: "daily_totals"))
                """
            let summaries = try await db.map(sql) { row in
                let entryCount: Int = try row[1]
                return NutritionalSummary(
                    days: days,
                    loggedDays: try row[0],
                    entryCount: entryCount,
                    nutrients: try Nutrients(row, from: 2),
                    averageConfidence: DailyTotal.average(thousandths: try row[9], of: entryCount)
                )
            }
            return summaries[0]
        }
    }

    public func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] {
        try await database.read { db in
            let sql: SQL = """
                SELECT c.ingredient, i.name, c.entry_count, c.grams, c.kilocalories FROM (
                    SELECT ingredient, count(*) AS entry_count, \(Self.sum("grams")) AS grams, \(Self.sum("kilocalories")) AS kilocalories
                    FROM entries WHERE \(days.contains("day")) AND ingredient IS NOT NULL \(days.claim(of: "entries"))
                    GROUP BY ingredient ORDER BY entry_count DESC, grams DESC, ingredient LIMIT \(max(0, limit))
                ) AS c JOIN ingredients AS i ON i.id = c.ingredient
                ORDER BY c.entry_count DESC, c.grams DESC, c.ingredient
                """
            return try await db.map(sql) { row in
                IngredientConsumption(
                    id: Ingredient.ID(rawValue: try row[0]),
                    name: try row[1],
                    entryCount: try row[2],
                    grams: Double(try row[3] as Int64) / 1000,
                    kilocalories: Double(try row[4] as Int64) / 1000
                )
            }
        }
    }

    public func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] {
        try await database.read { db in
            var hours = Array(repeating: 0, count: 24)
            let sql: SQL = """
                SELECT hour, \(Self.sum("entry_count")) FROM hourly_counts
                WHERE \(days.contains("day")) \(days.claim(of: "hourly_counts")) GROUP BY hour
                """
            try await db.forEach(sql) { row in
                let hour: Int = try row[0]
                if hours.indices.contains(hour) { hours[hour] = try row[1] }
            }
            return hours
        }
    }

    /// A sum as an integer. The sum of a column of `bigint` is a `numeric`, although the constraints of the schema keep it small.
    private static func sum(_ column: SQL) -> SQL { "coalesce(sum(\(column)), 0)::bigint" }
}
#endif
