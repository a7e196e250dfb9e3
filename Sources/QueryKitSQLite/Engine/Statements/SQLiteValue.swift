public import Foundation
// Apps write statements and need no further import.
@_exported public import QueryKitSQL

/// A value in one of SQLite's storage types.
public enum SQLiteValue: Hashable, Sendable {
    /// NULL.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number. NaN can't be stored.
    case real(Double)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob(Data)
}

extension SQLiteValue {
    /// Creates the form in which SQLite stores a value.
    ///
    /// A truth value is stored as 0 or 1. A date is stored as whole milliseconds since 1970, which compare and index as numbers. A UUID is
    /// stored as a blob of 16 bytes, and a decimal number as text, which keeps all digits. A value that can't be stored, such as an integer
    /// above `Int64.max`, becomes NaN, so that binding it throws an error.
    // Inlined, so that a value is bound without an intermediate copy.
    @inlinable
    @inline(__always)
    public init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .bool(let isTrue): self = .integer(isTrue ? 1 : 0)
        case .integer(let number): self = .integer(number)
        case .unsigned(let number): self = Int64(exactly: number).map { .integer($0) } ?? .real(.nan)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .blob(let data): self = .blob(data)
        case .date(let date): self.init(date)
        case .uuid(let id): self.init(id)
        case .decimal(let number): self.init(number)
        }
    }

    @usableFromInline
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        // A number outside of Int64 is passed on as a real. Binding refuses it if it isn't finite; an integer column refuses it in any
        // case.
        self = Int64(exactly: milliseconds).map { .integer($0) } ?? .real(milliseconds.isFinite ? milliseconds : .nan)
    }

    @usableFromInline
    init(_ id: UUID) { self = withUnsafeBytes(of: id.uuid) { .blob(Data($0)) } }

    @usableFromInline
    init(_ number: Decimal) { self = number.isNaN ? .real(.nan) : .text(NSDecimalNumber(decimal: number).description(withLocale: nil)) }

    /// Whether two values are equal, or neither of them can be stored.
    @usableFromInline
    func isSame(as other: SQLiteValue) -> Bool {
        if case (.real(let number), .real(let other)) = (self, other), number.isNaN, other.isNaN { return true }
        return self == other
    }

    /// The name of the partition that this value identifies.
    var partition: String {
        switch self {
        case .null: "null"
        case .integer(let number): String(number)
        // A REAL column stores 20 as 20.0, and a condition matches both.
        case .real(let number): Int64(exactly: number).map { String($0) } ?? String(number)
        case .text(let text): text
        case .blob(let data): data.base64EncodedString()
        }
    }
}

extension SQLiteValue {
    /// The names of the partitions with the rows that a condition can match with this value. SQLite converts a text to a number if the
    /// column has a numeric type, and a number to text if the column has the type TEXT.
    fileprivate var claimedPartitions: Set<String> {
        switch self {
        case .text(let text): [text, Self.number(text)?.partition ?? text]
        case .real(let number): [partition, Self.text(number)]
        case .null, .integer, .blob: [partition]
        }
    }

    /// The number in a text that contains nothing else but white space.
    private static func number(_ text: String) -> SQLiteValue? {
        // `Double` also accepts infinity and hexadecimal numbers.
        guard text.utf8.allSatisfy({ "0123456789+-.eE \t\n\u{B}\u{C}\r".utf8.contains($0) }) else { return nil }
        let digits = text.filter { !$0.isWhitespace }
        return Int64(digits).map { .integer($0) } ?? Double(digits).map { .real($0) }
    }

    /// The text of a number in SQLite: at most 15 digits, and always a decimal point.
    private static func text(_ number: Double) -> String {
        let text = String(format: "%.15g", number)
        if text.contains(".") { return text }
        let end = text.firstIndex(of: "e") ?? text.endIndex
        return text[..<end] + ".0" + text[end...]
    }
}

extension SQLValue {
    /// Creates a value from its form in SQLite.
    @inlinable
    init(_ value: SQLiteValue) {
        switch value {
        case .null: self = .null
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .text(let text): self = .text(text)
        case .blob(let data): self = .blob(data)
        }
    }
}

extension PartitionClaim {
    /// The names of the partitions, computed on demand: only observed reads need them.
    var partitions: [String] { values.flatMap { SQLiteValue($0).claimedPartitions.sorted() } }
}
