import FoodDiaryKit
import QueryKitSQLite

/// Compares the derived data of a database with its entries and ingredients.
///
/// The database adds up the entries, so comparing totals and counts in memory needs only a few numbers for each day and each ingredient.
struct DiaryAudit {
    /// The columns of a total: the number of entries, seven nutrients, and the confidence.
    private typealias Sums = [Int64]

    // The keys are stored numbers rather than days, so that an invalid day is found too.
    private var totals: [Int64: Sums] = [:]
    private var hours: [Hour: Int64] = [:]
    private var uses: [Ingredient.ID: Int64] = [:]

    private struct Hour: Hashable {
        let day: Int64
        let hour: Int64
    }

    static func check(_ db: SQLiteReadTransaction) throws -> FoodDiaryCheck {
        var audit = DiaryAudit()
        try audit.readEntries(db)
        // An invalid day is not part of the range of days.
        let days = audit.totals.keys.compactMap { FoodDay(compact: $0) }
        var index = try IndexAudit(db)
        let usage = try audit.wrongUsage(db) { try index.expect($0) }
        return FoodDiaryCheck(
            days: days.min().map { $0...(days.max() ?? $0) },
            totals: try audit.wrongTotals(db).map(day),
            hours: try audit.wrongHours(db).map(day),
            usage: usage,
            index: try index.wrong(db)
        )
    }

    /// The day with this number. An invalid number counts as the first possible day.
    private static func day(_ number: Int64) -> FoodDay { FoodDay(compact: number) ?? FoodDay.range.lowerBound }

    /// Adds up all entries.
    private mutating func readEntries(_ db: SQLiteReadTransaction) throws {
        try db.forEach(
            """
            SELECT day, hour, count(*), sum(kilocalories), sum(protein), sum(carbohydrates), sum(fat), sum(fiber), sum(sugar), sum(salt), sum(confidence)
            FROM entries GROUP BY day, hour
            """
        ) { row in
            let (day, hour): (Int64, Int64) = (try row[0], try row[1])
            // A damaged index may return the same group twice.
            hours[Hour(day: day, hour: hour), default: 0] &+= try row[2] as Int64
            totals[day] = try Self.sums(row, from: 2, addedTo: totals[day])
        }
        let counts: SQL = "SELECT ingredient, count(*) FROM entries WHERE ingredient IS NOT NULL GROUP BY ingredient"
        try db.forEach(counts) { uses[try $0[0]] = try $0[1] }
    }

    private static func sums(_ row: borrowing SQLiteRow, from first: Int, addedTo known: Sums? = nil) throws -> Sums {
        var sums = known ?? Sums(repeating: 0, count: 9)
        for place in sums.indices { sums[place] &+= try row[first + place] as Int64 }
        return sums
    }

    private func wrongTotals(_ db: SQLiteReadTransaction) throws -> Set<Int64> {
        var (missing, wrong) = (totals, Set<Int64>())
        try db.forEach(
            "SELECT day, entry_count, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence FROM daily_totals"
        ) { row in
            let day: Int64 = try row[0]
            if try missing.removeValue(forKey: day) != Self.sums(row, from: 1) { wrong.insert(day) }
        }
        return wrong.union(missing.keys)
    }

    private func wrongHours(_ db: SQLiteReadTransaction) throws -> Set<Int64> {
        var (missing, wrong) = (hours, Set<Int64>())
        try db.forEach("SELECT day, hour, entry_count FROM hourly_counts") { row in
            let hour = Hour(day: try row[0], hour: try row[1])
            if missing.removeValue(forKey: hour) != (try row[2] as Int64) { wrong.insert(hour.day) }
        }
        return wrong.union(missing.keys.map(\.day))
    }

    /// - Parameter visit: Called with each ingredient.
    private func wrongUsage(_ db: SQLiteReadTransaction, _ visit: (Ingredient) throws -> Void) throws -> [Ingredient.ID] {
        var (gone, wrong) = (uses, [Ingredient.ID]())
        try db.forEach("SELECT \(Ingredient.columns) FROM ingredients AS i") { row in
            let ingredient = try Ingredient(row: row)
            if gone.removeValue(forKey: ingredient.id) ?? 0 != ingredient.usageCount { wrong.append(ingredient.id) }
            try visit(ingredient)
        }
        return wrong + gone.keys
    }
}
