/// A value of a column in a source, in the order of SQLite: nothing, numbers, texts by their bytes, then other bytes.
package enum RegionValue: Hashable, Sendable {
    case nothing
    case integer(Int64)
    /// A number that is no `Int64`; see ``number(_:)``.
    case real(Double)
    /// A text in UTF-8. Texts that `String` takes for equal may differ here.
    case text([UInt8])
    case bytes([UInt8])

    /// A number, the same whether it is stored as an integer or not; `nil` for what is no number.
    package static func number(_ value: Double) -> RegionValue? {
        value.isNaN ? nil : Int64(exactly: value).map { .integer($0) } ?? .real(value)
    }
}

extension RegionValue: Comparable {
    package static func < (left: RegionValue, right: RegionValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        // Exact, as a conversion of a large integer would not be. Neither equals the other.
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

extension RegionValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nothing: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "'" + String(decoding: text, as: UTF8.self) + "'"
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
    }
}
