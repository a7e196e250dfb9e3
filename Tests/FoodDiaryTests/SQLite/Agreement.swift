import QueryKitSQLite
import SQLiteTestSupport
import Testing

extension SQLiteDatabase {
    /// Expects that everything derived from entries matches their sums.
    func expectAgreement(_ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let sums: SQL = """
            SELECT day, count(*), sum(kilocalories), sum(protein), sum(carbohydrates), sum(fat), sum(fiber), sum(sugar), sum(salt), sum(confidence)
            FROM entries GROUP BY day
            """
        let hours: SQL = "SELECT day, hour, count(*) FROM entries GROUP BY day, hour"
        let usage: SQL = "SELECT id, (SELECT count(*) FROM entries WHERE ingredient = ingredients.id) FROM ingredients"
        for (left, right) in [
            (sums, "SELECT * FROM daily_totals"), (hours, "SELECT * FROM hourly_counts"),
            (usage, "SELECT id, usage_count FROM ingredients"),
        ] as [(SQL, SQL)] {
            let difference: SQL = """
                SELECT count(*) FROM (
                    SELECT * FROM (\(left) EXCEPT \(right)) UNION ALL SELECT * FROM (\(right) EXCEPT \(left))
                )
                """
            #expect(try await count(difference) == 0, comment, sourceLocation: sourceLocation)
        }
    }
}
