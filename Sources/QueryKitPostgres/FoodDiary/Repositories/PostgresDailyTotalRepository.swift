#if Postgres
public import FoodDiaryKit
public import QueryKitPostgres

/// Daily totals in a database, maintained by the transactions that change its entries.
public struct PostgresDailyTotalRepository: DailyTotalRepository {
    private let database: PostgresDatabase

    /// Creates a repository for the totals of a database.
    public init(_ database: PostgresDatabase) { self.database = database }

    public func total(on day: FoodDay) async throws -> DailyTotal {
        try await database.read { db in
            try await db.row(
                DailyTotal.self,
                "SELECT \(DailyTotal.columns) FROM daily_totals AS t WHERE t.day = \(partition: day.stored, of: "daily_totals")::date"
            ) ?? .empty(day)
        }
    }

    public func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await database.read { db in
            try await db.rows(
                DailyTotal.self,
                """
                SELECT \(DailyTotal.columns) FROM daily_totals AS t WHERE \(days.contains("t.day")) \(days.claim(of: "daily_totals"))
                ORDER BY t.day DESC LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] {
        try await database.write { db in
            try await db.stopWritersOfEntries()
            return try await DailyTotal.recalculate(in: days, db)
        }
    }

    public func check() async throws -> FoodDiaryCheck {
        try await database.read { db in try await DiaryAudit.check(db) }
    }

    public func rebuild() async throws {
        try await WriteCancellation.run { cancellation in
            try await database.write { db in
                // A lost ingredient is treated like a deleted one: its entries keep their name.
                try await db.stopWritersOfEntries()
                try await db.execute("LOCK TABLE ingredients IN SHARE ROW EXCLUSIVE MODE")
                try await db.execute("UPDATE entries SET ingredient = NULL WHERE ingredient NOT IN (SELECT id FROM ingredients)")
                try await db.execute(
                    """
                    UPDATE ingredients AS i SET usage_count = u.entry_count
                    FROM (SELECT j.id, (SELECT count(*) FROM entries AS e WHERE e.ingredient = j.id) AS entry_count FROM ingredients AS j) AS u
                    WHERE u.id = i.id AND u.entry_count <> i.usage_count
                    """
                )
                try cancellation.check()
                try await IngredientIndex.rebuild(in: db, checking: cancellation.check)
                try cancellation.check()
                try await DailyTotal.rebuild(in: db)
                try cancellation.check()
            }
        }
    }
}

// MARK: Sums

extension PostgresWriteTransaction {
    /// Waits for the transactions that change entries, and lets no other one begin before this one ends. Reads don't wait.
    fileprivate func stopWritersOfEntries() async throws {
        try await execute("LOCK TABLE entries, daily_totals, hourly_counts IN SHARE ROW EXCLUSIVE MODE")
    }
}

extension DailyTotal {
    /// Compares the totals of these days with their entries, and recalculates the ones that differ.
    fileprivate static func recalculate(in days: ClosedRange<FoodDay>, _ db: PostgresWriteTransaction) async throws -> [FoodDay] {
        let range = days.contains("day")
        let found = try await db.map(each: [wrongTotals(range), wrongHours(range)]) { row in try row.day(0) }
        let wrong = Set(found.joined()).sorted()
        if wrong.isEmpty { return [] }
        let some: SQL = "day = ANY(\(ColumnValues(wrong.map(\.stored)).array("date[]")))"
        try await db.execute(each: replacement(some))
        return wrong
    }

    /// Recalculates the totals of all days from scratch.
    fileprivate static func rebuild(in db: PostgresWriteTransaction) async throws { try await db.execute(each: replacement("true")) }

    private static func replacement(_ days: SQL) -> [SQL] {
        [
            "DELETE FROM daily_totals WHERE \(days)", "INSERT INTO daily_totals \(sums(days))",
            "DELETE FROM hourly_counts WHERE \(days)", "INSERT INTO hourly_counts \(counts(days))",
        ]
    }

    private static func sums(_ days: SQL) -> SQL {
        """
        SELECT day, count(*), sum(kilocalories)::bigint, sum(protein)::bigint, sum(carbohydrates)::bigint, sum(fat)::bigint, sum(fiber)::bigint,
            sum(sugar)::bigint, sum(salt)::bigint, sum(confidence)::bigint
        FROM entries WHERE \(days) GROUP BY day
        """
    }

    private static func counts(_ days: SQL) -> SQL { "SELECT day, hour, count(*) FROM entries WHERE \(days) GROUP BY day, hour" }

    /// The days for which the two sides differ, including days that only one side has.
    private static func difference(_ left: SQL, _ right: SQL) -> SQL {
        """
        SELECT \(StoredMoment.number(ofDay: "d.day")) FROM (
            (SELECT day FROM (\(left) EXCEPT \(right)) AS l) UNION (SELECT day FROM (\(right) EXCEPT \(left)) AS r)
        ) AS d
        """
    }

    private static func wrongTotals(_ days: SQL) -> SQL { difference(sums(days), "SELECT * FROM daily_totals WHERE \(days)") }

    private static func wrongHours(_ days: SQL) -> SQL { difference(counts(days), "SELECT * FROM hourly_counts WHERE \(days)") }
}

extension DailyTotal: PostgresRowDecodable {
    /// The columns of a total, for a table with the alias `t`.
    static let columns: SQL = """
        \(StoredMoment.number(ofDay: "t.day")), t.entry_count, t.kilocalories, t.protein, t.carbohydrates, t.fat, t.fiber, t.sugar, t.salt, t.confidence
        """

    public init(row: borrowing PostgresRow) throws {
        let count: Int = try row[1]
        self.init(
            day: try row.day(0),
            entryCount: count,
            nutrients: try Nutrients(row, from: 2),
            averageConfidence: Self.average(thousandths: try row[9], of: count)
        )
    }
}
#endif
