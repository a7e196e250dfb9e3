#if Postgres
import FoodDiaryKit
import QueryKitPostgres

/// Compares the derived data of a database with its entries and ingredients, in one snapshot.
///
/// The database adds up the entries, so comparing totals and counts in memory needs only a few numbers for each day and each ingredient.
struct DiaryAudit {
    /// The columns of a total: the number of entries, seven nutrients, and the confidence.
    private typealias Sums = [Int64]

    private struct Hour: Hashable {
        let day: FoodDay
        let hour: Int64
    }

    private var totals: [FoodDay: Sums] = [:]
    private var hours: [Hour: Int64] = [:]
    private var uses: [Int64: Int64] = [:]

    static func check(_ db: PostgresReadTransaction) async throws -> FoodDiaryCheck {
        var audit = DiaryAudit()
        try await audit.readEntries(db)
        let days = audit.totals.keys
        return FoodDiaryCheck(
            days: days.min().map { $0...(days.max() ?? $0) },
            totals: Array(try await audit.wrongTotals(db)),
            hours: Array(try await audit.wrongHours(db)),
            usage: try await audit.wrongUsage(db),
            index: try await wrongIndex(db)
        )
    }

    private static let sums: SQL = """
        sum(kilocalories)::bigint, sum(protein)::bigint, sum(carbohydrates)::bigint, sum(fat)::bigint, sum(fiber)::bigint, sum(sugar)::bigint,
        sum(salt)::bigint, sum(confidence)::bigint
        """

    /// Adds up all entries.
    private mutating func readEntries(_ db: PostgresReadTransaction) async throws {
        let days = try await db.map(
            "SELECT \(StoredMoment.number(ofDay: "day")), hour, count(*), \(Self.sums) FROM entries GROUP BY day, hour"
        ) { row in
            (hour: Hour(day: try row.day(0), hour: try row[1]), sums: try Self.sums(row, from: 2))
        }
        for (hour, sums) in days {
            hours[hour] = sums[0]
            totals[hour.day] = zip(totals[hour.day] ?? Sums(repeating: 0, count: sums.count), sums).map { $0 &+ $1 }
        }
        let counts: SQL = "SELECT ingredient, count(*) FROM entries WHERE ingredient IS NOT NULL GROUP BY ingredient"
        for (id, count) in try await db.map(counts, { (try $0[0] as Int64, try $0[1] as Int64) }) { uses[id] = count }
    }

    private static func sums(_ row: borrowing PostgresRow, from first: Int) throws -> Sums {
        var sums = Sums()
        for column in first..<first + 9 { sums.append(try row[column]) }
        return sums
    }

    private func wrongTotals(_ db: PostgresReadTransaction) async throws -> Set<FoodDay> {
        let stored = try await db.map("SELECT \(DailyTotal.columns) FROM daily_totals AS t") { row in
            (day: try row.day(0), sums: try Self.sums(row, from: 1))
        }
        var (missing, wrong) = (totals, Set<FoodDay>())
        for (day, sums) in stored where missing.removeValue(forKey: day) != sums { wrong.insert(day) }
        return wrong.union(missing.keys)
    }

    private func wrongHours(_ db: PostgresReadTransaction) async throws -> Set<FoodDay> {
        let stored = try await db.map("SELECT \(StoredMoment.number(ofDay: "day")), hour, entry_count FROM hourly_counts") { row in
            (hour: Hour(day: try row.day(0), hour: try row[1]), count: try row[2] as Int64)
        }
        var (missing, wrong) = (hours, Set<FoodDay>())
        for (hour, count) in stored where missing.removeValue(forKey: hour) != count { wrong.insert(hour.day) }
        return wrong.union(missing.keys.map(\.day))
    }

    private func wrongUsage(_ db: PostgresReadTransaction) async throws -> [Ingredient.ID] {
        var (gone, wrong) = (uses, [Int64]())
        for (id, count) in try await db.map("SELECT id, usage_count FROM ingredients", { (try $0[0] as Int64, try $0[1] as Int64) })
        where gone.removeValue(forKey: id) ?? 0 != count { wrong.append(id) }
        return (wrong + gone.keys).map { Ingredient.ID(rawValue: $0) }
    }

    /// The ingredients whose words, names or terms differ from what the index should contain.
    private static func wrongIndex(_ db: PostgresReadTransaction) async throws -> [Ingredient.ID] {
        let terms = Set(try await db.values(String.self, "SELECT term FROM ingredient_terms"))
        let indexed = try await db.map(
            """
            SELECT \(Ingredient.columns), coalesce(array_to_string(tsvector_to_array(s.words), ' '), ''),
                coalesce((SELECT string_agg(n.key, E'\\n') FROM ingredient_names AS n WHERE n.ingredient = i.id), '')
            FROM ingredients AS i LEFT JOIN ingredient_search AS s ON s.ingredient = i.id
            """
        ) { (ingredient: try Ingredient(row: $0), words: try $0[13] as String, keys: try $0[14] as String) }
        return indexed.compactMap { ingredient, words, keys in
            let isSound =
                bytes(words, separator: " ") == bytes(IngredientIndex.text(of: ingredient), separator: " ")
                && bytes(keys, separator: "\n")
                    == Set(IngredientIndex.keys(of: ingredient).map { Array(IngredientIndex.storedKey($0).utf8) })
                && ([ingredient.name] + ingredient.aliases).flatMap(SearchText.words).compactMap(\.correctable).allSatisfy(terms.contains)
            return isSound ? nil : ingredient.id
        }
    }

    /// The parts of a text as bytes, because PostgreSQL distinguishes some texts that are equal in Swift.
    private static func bytes(_ text: String, separator: Unicode.Scalar) -> Set<[UInt8]> {
        Set(text.utf8.split(separator: UInt8(ascii: separator)).map { Array($0) })
    }
}
#endif
