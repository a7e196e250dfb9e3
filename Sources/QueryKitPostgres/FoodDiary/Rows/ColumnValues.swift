#if Postgres
import QueryKitPostgres

/// The values of one column for many rows, bound as a single parameter: the text of a PostgreSQL array.
///
/// A statement over `unnest` writes any number of rows with one text and one run of the triggers, and has no limit of 65,535 parameters.
struct ColumnValues {
    private var text = "{"

    init() {}

    init(_ numbers: some Sequence<Int64>) {
        for number in numbers { append(number) }
    }

    init(_ texts: some Sequence<String>) {
        for text in texts { append(text) }
    }

    mutating func append(_ number: Int64?) {
        separate()
        if let number { text += String(number) } else { text += "NULL" }
    }

    mutating func append(_ value: String) {
        separate()
        text += "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
    }

    private mutating func separate() {
        if text.utf8.count > 1 { text += "," }
    }

    /// The parameter as an array of a type, such as `bigint[]`.
    func array(_ type: SQL) -> SQL { "\(text + "}")::text::\(type)" }
}
#endif
