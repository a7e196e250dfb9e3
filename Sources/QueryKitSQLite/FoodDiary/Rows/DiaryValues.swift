public import FoodDiaryKit
public import QueryKitSQLite

extension FoodDay: SQLiteConvertible {
    /// Stored as a readable number: 20261121.
    public var sqliteValue: SQLiteValue { .integer(compact) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let number = try column.integer()
        guard let day = FoodDay(compact: number) else { throw column.damage("\(number) is not a valid day") }
        self = day
    }
}

extension FoodEntry.ID: SQLiteConvertible {
    public var sqliteValue: SQLiteValue { .integer(rawValue) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws { self.init(rawValue: try column.integer()) }
}

extension Ingredient.ID: SQLiteConvertible {
    public var sqliteValue: SQLiteValue { .integer(rawValue) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws { self.init(rawValue: try column.integer()) }
}

/// Ranges of days in statements.
extension ClosedRange<FoodDay> {
    /// Declares that a statement reads only these days of `table`, if they are few. Adds nothing to its text.
    func claim(of table: StaticString) -> SQL? { named.map { "\(reading: $0, of: table)" } }

    /// Whether reading the entries of these days takes so long that other reads should run first.
    var spansMonths: Bool { lowerBound.distance(to: upperBound) > 62 }

    /// Whether reading the totals of these days takes so long that other reads should run first.
    var isLong: Bool { lowerBound.distance(to: upperBound) > 1_000 }
}
