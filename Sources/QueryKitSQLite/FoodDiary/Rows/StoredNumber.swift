import QueryKitSQLite

/// The bounds of stored numbers, as the schema's constraints have them: within them no sum of a diary overflows.
///
/// A row that breaks them was damaged after it was written. Reading it reports damage, so that the file is looked through and recovered.
enum StoredNumber {
    /// Thousandths, as ``Nutrients`` rounds them.
    static let amount: ClosedRange<Int64> = -1_000_000_000_000...1_000_000_000_000

    /// The milliseconds of the days that can be named.
    static let moment: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    static let hour: ClosedRange<Int64> = 0...23
    static let confidence: ClosedRange<Int64> = 0...1_000
    static let count: ClosedRange<Int64> = 0...1_000_000_000_000

    /// Sums of a day, and of all days.
    static let sum: ClosedRange<Int64> = -1_000_000_000_000_000...1_000_000_000_000_000
}

extension SQLiteRow {
    /// The number of a column; throws ``SQLiteError/Code/corrupt`` where it can't have been written by a diary.
    borrowing func number(_ column: Int, in bounds: ClosedRange<Int64>) throws -> Int64 {
        let number: Int64 = try self[column]
        guard bounds.contains(number) else {
            throw SQLiteError(.corrupt, "The file is damaged: \(number) can't be stored in \(names[column]).")
        }
        return number
    }
}

extension SQLiteColumn {
    /// The error of a value that no diary has written.
    borrowing func damage(_ reason: String) -> SQLiteError {
        let error = mismatch(reason)
        return SQLiteError(.corrupt, "The file is damaged: \(error.message)", sql: error.sql)
    }
}
