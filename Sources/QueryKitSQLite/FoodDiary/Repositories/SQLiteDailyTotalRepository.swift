public import FoodDiaryKit
public import QueryKitSQLite

/// Daily totals in a database, maintained by the transactions that change its entries.
public struct SQLiteDailyTotalRepository: DailyTotalRepository {
    private let database: SQLiteDatabase

    /// Creates a repository for the totals of a database.
    public init(_ database: SQLiteDatabase) { self.database = database }

    public func total(on day: FoodDay) async throws -> DailyTotal {
        try await database.read { db in
            try db.row(
                DailyTotal.self,
                "SELECT \(DailyTotal.columns) FROM daily_totals AS t WHERE t.day = \(partition: day, of: "daily_totals")"
            ) ?? .empty(day)
        }
    }

    public func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await database.read(isLong: days.isLong) { db in
            try db.rows(
                DailyTotal.self,
                """
                SELECT \(DailyTotal.columns) FROM daily_totals AS t
                WHERE t.day BETWEEN \(days.lowerBound) AND \(days.upperBound) \(days.claim(of: "daily_totals"))
                ORDER BY t.day DESC LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] {
        try await database.write { db in try DailyTotal.recalculate(in: days, db) }
    }

    public func check() async throws -> FoodDiaryCheck {
        try await database.read(isLong: true) { db in try DiaryAudit.check(db) }
    }

    public func rebuild() async throws {
        try await WriteCancellation.run { cancellation in
            try await database.write { db in try FoodDiarySchema.rebuild(in: db, between: cancellation.check) }
        }
    }
}

// MARK: Sums

extension DailyTotal {
    /// Compares the totals of these days with their entries, and recalculates the ones that differ.
    static func recalculate(in days: ClosedRange<FoodDay>, _ db: SQLiteWriteTransaction) throws -> [FoodDay] {
        let range: SQL = "BETWEEN \(days.lowerBound) AND \(days.upperBound)"
        let wrong = try Set(db.values(FoodDay.self, wrongTotals(range)) + db.values(FoodDay.self, wrongHours(range)))
        for day in wrong {
            try db.execute("DELETE FROM daily_totals WHERE day = \(day)")
            try db.execute("INSERT INTO daily_totals \(sums("= \(day)"))")
            try db.execute("DELETE FROM hourly_counts WHERE day = \(day)")
            try db.execute("INSERT INTO hourly_counts \(counts("= \(day)"))")
        }
        return wrong.sorted()
    }

    private static func sums(_ days: SQL) -> SQL {
        """
        SELECT day, count(*), sum(kilocalories), sum(protein), sum(carbohydrates), sum(fat), sum(fiber), sum(sugar), sum(salt), sum(confidence)
        FROM entries WHERE day \(days) GROUP BY day
        """
    }

    private static func counts(_ days: SQL) -> SQL { "SELECT day, hour, count(*) FROM entries WHERE day \(days) GROUP BY day, hour" }

    /// Recalculates the totals of all days from scratch.
    static func rebuild(in db: SQLiteWriteTransaction) throws {
        // Also removes totals with an invalid day, which no request could name.
        try db.execute("DELETE FROM daily_totals")
        try db.execute("INSERT INTO daily_totals \(sums("IS NOT NULL"))")
        try db.execute("DELETE FROM hourly_counts")
        try db.execute("INSERT INTO hourly_counts \(counts("IS NOT NULL"))")
    }

    /// The days for which the two sides differ, including days that only one side has.
    private static func difference(_ left: SQL, _ right: SQL) -> SQL {
        "SELECT day FROM (\(left) EXCEPT \(right)) UNION SELECT day FROM (\(right) EXCEPT \(left))"
    }

    private static func wrongTotals(_ days: SQL) -> SQL { difference(sums(days), "SELECT * FROM daily_totals WHERE day \(days)") }

    private static func wrongHours(_ days: SQL) -> SQL { difference(counts(days), "SELECT * FROM hourly_counts WHERE day \(days)") }
}

extension DailyTotal: SQLiteRowDecodable {
    /// The columns of a total, for a table with the alias `t`.
    static let columns: SQL = """
        t.day, t.entry_count, t.kilocalories, t.protein, t.carbohydrates, t.fat, t.fiber, t.sugar, t.salt, t.confidence
        """

    public init(row: borrowing SQLiteRow) throws {
        let count = Int(try row.number(1, in: StoredNumber.amount))
        self.init(
            day: try row[0],
            entryCount: count,
            nutrients: try Nutrients(row, from: 2, in: StoredNumber.sum),
            averageConfidence: Self.average(thousandths: try row.number(9, in: StoredNumber.sum), of: count)
        )
    }
}
