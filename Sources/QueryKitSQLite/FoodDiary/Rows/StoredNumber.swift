import QueryKitSQLite

/// The bounds of stored numbers, which match the constraints of the schema. Within them, no sum in a diary overflows.
///
/// A row that violates them was damaged after it was written. Reading it reports damage, so that the file is checked and recovered.
enum StoredNumber {
    /// Thousandths, rounded as in ``Nutrients``.
    static let amount: ClosedRange<Int64> = -1_000_000_000_000...1_000_000_000_000

    /// The milliseconds of all valid days.
    static let moment: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    static let hour: ClosedRange<Int64> = 0...23
    static let confidence: ClosedRange<Int64> = 0...1_000
    static let count: ClosedRange<Int64> = 0...1_000_000_000_000

    /// Sums for one day or for all days.
    static let sum: ClosedRange<Int64> = -1_000_000_000_000_000...1_000_000_000_000_000
}

extension SQLiteRow {
    /// The number in a column. Throws ``SQLiteError/Code/corrupt`` if a diary can't have written it.
    borrowing func number(_ column: Int, in bounds: ClosedRange<Int64>) throws -> Int64 {
        let number: Int64 = try self[column]
        guard bounds.contains(number) else {
            throw SQLiteError(.corrupt, "The file is damaged: the column \(names[column]) contains \(number), which is out of range.")
        }
        return number
    }
}

extension SQLiteColumn {
    /// The error for a value that no diary has written.
    borrowing func damage(_ reason: String) -> SQLiteError {
        let error = mismatch(reason)
        return SQLiteError(.corrupt, "The file is damaged: \(error.message)", sql: error.sql)
    }
}
