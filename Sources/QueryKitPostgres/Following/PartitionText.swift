#if Postgres
import Foundation
import QueryKitSQL

/// Converts a partition that a request declares to the text that the server writes to the log for it.
///
/// Two texts may be equal for the server and differ here, such as two ways to write a date. So a value has a text only if its form is the
/// one that the server itself uses for the type of the column.
enum PartitionText {
    /// The text of a value in a column of a type; `nil` if it is uncertain how the server writes it.
    ///
    /// - Parameter type: The oid of the type of the column.
    static func text(of value: SQLValue, type: Int) -> String? {
        switch (value, type) {
        case (.text(let text), 25), (.text(let text), 1043): text
        case (.integer(let number), 20), (.integer(let number), 21), (.integer(let number), 23): String(number)
        case (.bool(let value), 16): value ? "true" : "false"
        case (.uuid(let id), 2950): id.uuidString.lowercased()
        case (.text(let text), 2950): UUID(uuidString: text).map { $0.uuidString.lowercased() }
        case (.text(let text), 1082): isDate(text) ? text : nil
        case (.text(let text), 20), (.text(let text), 21), (.text(let text), 23): Int64(text).map(String.init)
        default: nil
        }
    }

    /// Whether a text is a date as the server writes it: `2026-11-21`.
    private static func isDate(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2] else { return false }
        return parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
    }
}
#endif
