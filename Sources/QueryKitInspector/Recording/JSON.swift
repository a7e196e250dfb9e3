import QueryKit

/// A JSON value that is about to be written.
///
/// The inspector has its own encoder because rows and events are encoded thousands of times a second, and because absent values must be
/// `null`.
indirect enum JSON: Hashable, Sendable {
    case null
    case flag(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([Member])
    /// JSON that was written before.
    case written([UInt8])

    struct Member: Hashable, Sendable {
        let name: String
        let value: JSON
    }

    static func text(_ text: String?) -> JSON { text.map { .text($0) } ?? .null }

    static func integer(_ number: Int?) -> JSON { number.map { .integer($0) } ?? .null }

    static func texts(_ texts: some Sequence<String>) -> JSON { .list(texts.map { .text($0) }) }

    /// A duration in milliseconds, to the microsecond.
    static func milliseconds(_ duration: Duration?) -> JSON {
        duration.map { .number((Double($0.saturatedNanoseconds) / 1_000).rounded() / 1_000) } ?? .null
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }

    func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .number(let number): Self.write(number, into: &bytes)
        case .text(let text): Self.write(text, into: &bytes)
        case .written(let written): bytes += written
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, into: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ number: Double, into bytes: inout [UInt8]) {
        guard number.isFinite else {
            bytes += "null".utf8
            return
        }
        if let whole = Int(exactly: number) {
            bytes += String(whole).utf8
            return
        }
        bytes += "\(number)".utf8
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func write(_ text: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByNilLiteral {
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(members.map { Member(name: $0, value: $1) }) }

    init(arrayLiteral values: JSON...) { self = .list(values) }

    init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    init(stringLiteral text: String) { self = .text(text) }

    init(integerLiteral number: Int) { self = .integer(number) }

    init(booleanLiteral flag: Bool) { self = .flag(flag) }
}
