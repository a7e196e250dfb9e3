#if Postgres
import FoodDiaryKit
import QueryKitPostgres

// Days and moments have PostgreSQL's own types, so that other programs can compute with them. Both are converted in SQL, from and to
// numbers, which is exact: a day is a number of days since 1970, a moment a number of milliseconds.

extension FoodDay {
    /// The day as the text of a `date`, which is also the name of its partition.
    var stored: String {
        // The day of an invalid date is before the year 1, which PostgreSQL doesn't write as year 0.
        self < FoodDay.range.lowerBound ? "0001-12-31 BC" : description
    }
}

/// Fragments that convert between stored values and numbers.
enum StoredMoment {
    /// The number of a day, for a column of type `date`.
    static func number(ofDay column: SQL) -> SQL { "(\(column) - DATE '1970-01-01')" }

    /// The milliseconds since 1970, for a column of type `timestamptz`.
    static func milliseconds(of column: SQL) -> SQL { "round(extract(epoch FROM \(column)) * 1000)::bigint" }

    /// The `timestamptz` for a number of milliseconds. Comparisons convert as insertions do, so that equal moments stay equal.
    static func moment(_ milliseconds: SQL) -> SQL { "to_timestamp(\(milliseconds)::float8 / 1000)" }
}

extension PostgresRow {
    /// The day in a column that was selected as its number.
    borrowing func day(_ column: Int) throws -> FoodDay { FoodDay(number: try self[column]) }
}

/// Ranges of days in statements.
extension ClosedRange<FoodDay> {
    /// The condition that a column of type `date` is in the range.
    func contains(_ column: SQL) -> SQL { "\(column) BETWEEN \(lowerBound.stored)::date AND \(upperBound.stored)::date" }

    /// Declares that a statement reads only these days of `table`, if they are few. Adds nothing to its text.
    func claim(of table: StaticString) -> SQL? { named.map { "\(reading: $0.map(\.stored), of: table)" } }
}
#endif
