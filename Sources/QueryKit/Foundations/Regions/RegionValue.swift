/// A value of a column in a source. Values are ordered as in SQLite: NULL, numbers, text by its bytes, then blobs.
package enum RegionValue: Hashable, Sendable {
    case nothing
    case integer(Int64)
    /// A number that can't be represented as an `Int64`; see ``number(_:)``.
    case real(Double)
    /// A text in UTF-8. Texts that are equal as a `String` may differ here.
    case text([UInt8])
    case bytes([UInt8])

    /// Creates a number. Equal numbers have equal results, whether the source stores them as integers or not. Returns `nil` for NaN.
    package static func number(_ value: Double) -> RegionValue? {
        value.isNaN ? nil : Int64(exactly: value).map { .integer($0) } ?? .real(value)
    }
}

extension RegionValue: Comparable {
    package static func < (left: RegionValue, right: RegionValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        // Compares exactly; converting a large integer would lose precision. An integer never equals a `real`.
        case (.integer(let left), .real(let right)):
            right > 0 ? right >= 0x1p63 || left <= Int64(right) : right > -0x1p63 && left < Int64(right)
        case (.real, .integer): !(right < left)
        case (.text(let left), .text(let right)), (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
        default: left.rank < right.rank
        }
    }

    private var rank: Int {
        switch self {
        case .nothing: 0
        case .integer, .real: 1
        case .text: 2
        case .bytes: 3
        }
    }
}

extension RegionValue: Redacted, CustomReflectable {
    package var description: String { text(showsValues: false) }

    package var customMirror: Mirror { Mirror(reflecting: description) }

    package func text(showsValues: Bool) -> String {
        switch self {
        case .nothing where showsValues: "NULL"
        case .integer(let value): showsValues ? "\(value)" : Redaction.hash("\(value)")
        case .real(let value) where showsValues: "\(value)"
        case .text(let text) where showsValues: "'" + String(decoding: text, as: UTF8.self) + "'"
        case .bytes(let bytes) where showsValues: "\(bytes.count) bytes"
        // An integer has the same hash as the row with this id, which is a text.
        default: Redaction.hash(self)
        }
    }
}
