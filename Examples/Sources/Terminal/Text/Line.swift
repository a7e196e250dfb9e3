/// A line of a terminal: pieces of text, each with its style.
///
/// Styles are stored separately from the text, so widths are those of the visible text, and truncating a line never cuts an escape
/// sequence. Characters that would move the cursor or change the terminal are removed from each piece, because names come from files and
/// users.
package struct Line: Hashable, Sendable {
    package struct Piece: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var pieces: [Piece]

    package init(_ text: String = "", _ style: Style = .plain) {
        let text = Self.printable(text)
        pieces = text.isEmpty ? [] : [Piece(text: text, style: style)]
    }

    package init(_ lines: [Line]) { pieces = lines.flatMap(\.pieces) }

    /// The width in columns.
    package var width: Int { pieces.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// The text without styles.
    package var text: String { pieces.map(\.text).joined() }

    package static func + (left: Line, right: Line) -> Line { Line([left, right]) }

    package static func += (left: inout Line, right: Line) { left.pieces += right.pieces }

    /// The same text in one style throughout.
    package func styled(_ style: Style) -> Line { Line(text, style) }

    /// The line with escape sequences, as written to a terminal.
    package func encoded(in palette: Palette) -> String {
        pieces.map { piece in
            guard let code = palette.code(piece.style) else { return piece.text }
            return "\u{1B}[\(code)m\(piece.text)\u{1B}[0m"
        }.joined()
    }

    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var kept = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { kept.append(isUnsafe(scalar) ? " " : scalar) }
        return String(kept)
    }

    /// Control characters, and marks that change the direction of all following text.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension Line: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        var line = Line()

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { line += Line(literal) }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: Style = .plain) {
            line += Line(value.description, style)
        }

        package mutating func appendInterpolation(_ other: Line) { line += other }
    }

    package init(stringLiteral value: String) { self.init(value) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.line }
}
