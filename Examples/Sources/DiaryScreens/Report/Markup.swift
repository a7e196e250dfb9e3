import Foundation

/// A fragment of HTML. Interpolated text is escaped; only literals in the source and other fragments are inserted unchanged.
package struct Markup: Hashable, Sendable {
    package private(set) var text: String

    init(_ pieces: [Markup] = [], separator: String = "\n") { text = pieces.map(\.text).joined(separator: separator) }

    /// A text, escaped for elements and attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            // HTML doesn't allow these characters, not even escaped. Marks that change the text direction would affect the following text.
            case "\u{0}"..."\u{8}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Markup: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: String) { text += Markup.escaped(value) }

        package mutating func appendInterpolation(_ value: Int) { text += "\(value)" }

        /// A length or position, rounded to a tenth.
        package mutating func appendInterpolation(_ value: Double) {
            let tenths = (value * 10).rounded()
            guard let whole = Int(exactly: tenths) else {
                text += "0"
                return
            }
            text += whole % 10 == 0 ? "\(whole / 10)" : "\(whole < 0 ? "-" : "")\(abs(whole) / 10).\(abs(whole) % 10)"
        }

        package mutating func appendInterpolation(_ piece: Markup) { text += piece.text }

        package mutating func appendInterpolation(_ pieces: [Markup]) { text += Markup(pieces).text }
    }

    package init(stringLiteral value: String) { text = value }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}
