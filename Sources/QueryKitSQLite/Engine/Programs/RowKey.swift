/// Where a key comes from by which a statement looks rows up.
indirect enum RowKey: Hashable, Sendable {
    /// The value of a parameter, counted from one.
    case parameter(Int)
    case integer(Int64)
    /// A text in UTF-8: texts that `String` takes for equal are different keys.
    case text([UInt8])
    case null
    /// What a query finds once the values of the parameters are known.
    case found(KeyQuery)
}

/// A query that finds the key of a row by another key: a row id by a unique key, or by a column that refers to the row.
struct KeyQuery: Hashable, Sendable {
    /// A statement whose only column is the key.
    let sql: String
    /// The values that each of its parameters may have.
    let inputs: [Set<RowKey>]
    /// Whether a key that isn't found may be inserted in any row.
    let mustFind: Bool
}
