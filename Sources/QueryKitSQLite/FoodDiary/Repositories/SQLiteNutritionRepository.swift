public import FoodDiaryKit
public import QueryKitSQLite

/// Nutrition statistics of a database, computed from daily totals if these are sufficient.
public struct SQLiteNutritionRepository: NutritionRepository {
    private let database: SQLiteDatabase

    /// Creates a repository for the statistics of a database.
    public init(_ database: SQLiteDatabase) { self.database = database }

    public func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        try await database.read(isLong: days.isLong) { db in
            let sql: SQL = """
                SELECT count(*), coalesce(sum(entry_count), 0), \(Self.sum("kilocalories")), \(Self.sum("protein")), \(Self.sum("carbohydrates")),
                    \(Self.sum("fat")), \(Self.sum("fiber")), \(Self.sum("sugar")), \(Self.sum("salt")), \(Self.sum("confidence"))
                FROM daily_totals WHERE day BETWEEN \(days.lowerBound) AND \(days.upperBound) \(days.claim(of: "daily_totals"))
                """
            let summaries = try db.map(sql) { row in
                let entryCount = Int(try row.number(1, in: StoredNumber.sum))
                return NutritionalSummary(
                    days: days,
                    loggedDays: try row[0],
                    entryCount: entryCount,
                    nutrients: try Nutrients(row, from: 2, in: .min ... .max),
                    averageConfidence: DailyTotal.average(thousandths: try row[9], of: entryCount)
                )
            }
            return summaries[0]
        }
    }

    public func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] {
        // Reads entries rather than totals, so fewer days count as long.
        try await database.read(isLong: days.spansMonths) { db in
            // The unary plus prevents SQLite from scanning the index by ingredient, which would read the entries of all days.
            let sql: SQL = """
                SELECT c.ingredient, i.name, c.entry_count, c.grams, c.kilocalories FROM (
                    SELECT +ingredient AS ingredient, count(*) AS entry_count, sum(grams) AS grams, sum(kilocalories) AS kilocalories
                    FROM entries WHERE day BETWEEN \(days.lowerBound) AND \(days.upperBound) AND +ingredient IS NOT NULL \(days.claim(of: "entries"))
                    GROUP BY +ingredient ORDER BY entry_count DESC, grams DESC, ingredient LIMIT \(max(0, limit))
                ) AS c JOIN ingredients AS i ON i.id = c.ingredient
                ORDER BY c.entry_count DESC, c.grams DESC, c.ingredient
                """
            return try db.map(sql) { row in
                IngredientConsumption(
                    id: try row[0],
                    name: try row[1],
                    entryCount: try row[2],
                    grams: Double(try row[3] as Int64) / 1000,
                    kilocalories: Double(try row[4] as Int64) / 1000
                )
            }
        }
    }

    public func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] {
        try await database.read(isLong: days.isLong) { db in
            var hours = Array(repeating: 0, count: 24)
            let sql: SQL = """
                SELECT hour, sum(entry_count) FROM hourly_counts
                WHERE day BETWEEN \(days.lowerBound) AND \(days.upperBound) \(days.claim(of: "hourly_counts")) GROUP BY hour
                """
            try db.forEach(sql) { row in
                let hour: Int = try row[0]
                if hours.indices.contains(hour) { hours[hour] = try row[1] }
            }
            return hours
        }
    }

    private static func sum(_ column: SQL) -> SQL { "coalesce(sum(\(column)), 0)" }
}
