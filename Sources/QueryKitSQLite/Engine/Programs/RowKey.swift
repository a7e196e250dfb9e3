/// The source of a key that a statement uses to look up rows.
indirect enum RowKey: Hashable, Sendable {
    /// The value of a parameter, counted from one.
    case parameter(Int)
    case integer(Int64)
    /// A text as UTF-8 bytes: texts that are equal as `String` may be different keys.
    case text([UInt8])
    case null
    /// The result of a query that runs once the parameter values are known.
    case found(KeyQuery)
}

/// A query that finds the key of a row by another key: a row id by a unique key, or by a column that references the row.
struct KeyQuery: Hashable, Sendable {
    /// A statement whose only column is the key.
    let sql: String
    /// The possible values of each parameter.
    let inputs: [Set<RowKey>]
    /// Whether the result is unknown if the query finds nothing, because the key could be inserted in any row.
    let mustFind: Bool
}
