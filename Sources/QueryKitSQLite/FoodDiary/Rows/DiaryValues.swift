extension FoodDay: SQLiteConvertible {
    /// A day is kept as a number that people can read, too: 20261121.
    public var sqliteValue: SQLiteValue { .integer(compact) }

    public init(sqliteColumn column: borrowing SQLiteColumn) throws {
        let number = try column.integer()
        guard let day = FoodDay(compact: number) else { throw column.mismatch("\(number) is no day") }
        self = day
    }

    private var compact: Int64 {
        let date = CivilDate(number: number)
        return Int64(date.year * 10_000 + date.month * 100 + date.day)
    }

    init?(compact: Int64) {
        guard let number = Int(exactly: compact), number > 0 else { return nil }
        self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
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
    /// So many days are named one by one as what a statement reads. Of more, a change on any day counts.
    private static var namedDays: Int { 62 }

    /// The days one by one, if they are few.
    var named: [FoodDay]? { count <= Self.namedDays ? Array(self) : nil }

    /// Says of a statement that of `table` it reads these days only, if they are few; adds nothing to its text.
    func claim(of table: StaticString) -> SQL? { named.map { "\(reading: $0, of: table)" } }
}
