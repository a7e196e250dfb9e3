public import FoodDiaryKit
public import QueryKitSQLite

/// Counts lost entries, using the totals that were saved from a damaged file.
enum DiaryLosses {
    /// The number of missing entries by day.
    static func missing(_ db: SQLiteReadTransaction) throws -> [String: [String: Int]] {
        var counts: [String: Int] = [:]
        let totals: SQL = "SELECT day, entry_count AS n FROM daily_totals"
        let hours: SQL = "SELECT day, sum(entry_count) AS n FROM hourly_counts GROUP BY day"
        for known in [totals, hours] {
            let missing: SQL = """
                SELECT t.day, t.n - coalesce(e.n, 0) FROM (\(known)) AS t
                LEFT JOIN (SELECT day, count(*) AS n FROM entries GROUP BY day) AS e ON e.day = t.day WHERE t.n > coalesce(e.n, 0)
                """
            try db.forEach(missing) { row in
                let (day, count): (Int64, Int) = (try row[0], try row[1])
                counts["\(day)"] = max(counts["\(day)"] ?? 0, count)
            }
        }
        return ["entries": counts]
    }

    /// Reports the rows that ``FoodDiarySchema/bounds`` has set aside because their values are impossible.
    static func reportOutOfBounds(in database: SQLiteDatabase) async throws {
        let (entries, ingredients) = try await database.read { db in
            (
                try db.values(Int64.self, "SELECT day FROM entries_out_of_bounds"),
                try db.value(Int.self, "SELECT count(*) FROM ingredients_out_of_bounds") ?? 0
            )
        }
        if entries.isEmpty, ingredients == 0 { return }
        try await database.report(
            "The file is damaged: \(entries.count + ingredients) rows contain impossible numbers. They were moved to entries_out_of_bounds and ingredients_out_of_bounds.",
            missing: ["entries": entries.count, "ingredients": ingredients].filter { $0.value > 0 },
            partitions: ["entries": Dictionary(entries.map { ("\($0)", 1) }, uniquingKeysWith: +)]
        )
    }
}

extension SQLiteReport.Recovery {
    /// The number of entries of a food diary that are known to be missing, by day.
    public var missingEntries: [FoodDay: Int] {
        let counts = (missingPartitions["entries"] ?? [:]).compactMap { name, count in
            Int64(name).flatMap { FoodDay(compact: $0) }.map { ($0, count) }
        }
        return Dictionary(counts, uniquingKeysWith: +)
    }
}
