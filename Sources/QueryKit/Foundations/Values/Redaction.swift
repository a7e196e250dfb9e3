/// A value whose description must not show the values of the app that it contains, such as the keys of the rows that a request has read.
///
/// Descriptions, interpolations and `dump` show hashes of these values. Only ``unredacted`` shows the values themselves.
package protocol Redacted: CustomStringConvertible {
    /// - Parameter showsValues: Whether the text contains values instead of their hashes.
    func text(showsValues: Bool) -> String
}

extension Redacted {
    /// The text with values, for a developer who has asked for them, and for keys that are never shown.
    package var unredacted: String { text(showsValues: true) }
}

/// An object whose properties contain values of the app, so neither `dump` nor the description of what holds it shows them (R37).
protocol Opaque: AnyObject, CustomReflectable {}

extension Opaque {
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// The hashes that descriptions contain instead of values.
package enum Redaction {
    /// A new salt for each process, so that the hashes of guessed values can't be computed elsewhere. Swift's own seed isn't enough,
    /// because a variable of the environment can make it constant.
    private static let salt = SIMD2<UInt64>.random(in: .min ... .max)

    /// The hash of a value. In one process, equal values have equal hashes.
    package static func hash(_ value: some Hashable) -> String { hash(value, salt) }

    private static func hash(_ value: some Hashable, _ salt: SIMD2<UInt64>) -> String {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(value)
        let digits = String(UInt32(truncatingIfNeeded: hasher.finalize()), radix: 16)
        return "‹" + String(repeating: "0", count: 8 - digits.count) + digits + "›"
    }

    /// Replaces the hashes in a text in UTF-8, so that they can't be compared with those of this process or of another export.
    package static func resalted(_ text: [UInt8]) -> [UInt8] {
        let salt = SIMD2<UInt64>.random(in: .min ... .max)
        let (start, end) = (Array("‹".utf8), Array("›".utf8))
        let length = start.count + 8 + end.count
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let part = text[index..<min(index + length, text.count)]
            if text[index] == start[0], part.count == length, part.starts(with: start), part.suffix(end.count).elementsEqual(end) {
                result += hash(Array(part), salt).utf8
                index += length
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }
}
