public import FoodDiaryKit
public import QueryKitSQLite

extension FoodDay: SQLiteConvertible {
    /// A day is kept as a number that people can read, too: 20261121.
    public var sqliteValue: SQLiteValue { .integer(compact) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let number = try column.integer()
        guard let day = FoodDay(compact: number) else { throw column.damage("\(number) is no day") }
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

/// Days in the terms of a statement.
extension ClosedRange<FoodDay> {
    /// Says of a statement that of `table` it reads these days only, if they are few; adds nothing to its text.
    func claim(of table: StaticString) -> SQL? { named.map { "\(reading: $0, of: table)" } }

    /// Whether reading the entries of these days takes long enough to let other reads go first.
    var spansMonths: Bool { lowerBound.distance(to: upperBound) > 62 }

    /// The same for what is read from the totals of days.
    var isLong: Bool { lowerBound.distance(to: upperBound) > 1_000 }
}
