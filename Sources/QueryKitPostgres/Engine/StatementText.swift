#if Postgres
import QueryKitSQL

extension SQL {
    /// The text with PostgreSQL's placeholders.
    var numberedText: String {
        var text = ""
        var number = 0
        func next() -> String {
            number += 1
            return "$\(number)"
        }
        for piece in pieces {
            switch piece {
            case .literal(let literal): literal.withUTF8Buffer { text += String(decoding: $0, as: UTF8.self) }
            case .text(let part): text += part
            case .parameter: text += next()
            case .list(_, 0, let type): text += Self.emptyList(of: type)
            case .list(_, let width, _): text += "(" + (0..<width).map { _ in next() }.joined(separator: ", ") + ")"
            }
        }
        return text
    }

    /// A list that contains nothing. `()` is not valid.
    private static func emptyList(of type: SQLType) -> String {
        let name =
            switch type {
            case .bool: "boolean"
            case .integer: "int8"
            case .real: "float8"
            case .text: "text"
            case .blob: "bytea"
            case .date: "timestamptz"
            case .uuid: "uuid"
            case .decimal: "numeric"
            // A wrong type leads to an error of the server. A list that contains NULL would not, but NOT IN would silently match nothing.
            case .unknown: "text"
            }
        return "(SELECT NULL::\(name) WHERE false)"
    }

    /// The word with which the statement begins, in uppercase.
    var firstWord: String {
        guard case .literal(let literal)? = pieces.first else { return Self.firstWord(of: numberedText) }
        return literal.withUTF8Buffer { bytes in
            let isWord = bytes.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) } ?? false
            // No word of interest is longer.
            return Self.firstWord(of: isWord ? String(decoding: bytes.prefix(12), as: UTF8.self) : numberedText)
        }
    }

    /// The word with which a statement begins, in uppercase, without comments.
    static func firstWord(of text: String) -> String { firstWords(1, of: text)[0] }

    /// The words with which a statement begins, in uppercase, without comments. A word that is missing is empty.
    static func firstWords(_ count: Int, of text: String) -> [String] {
        var rest = text.utf8[...]
        return (0..<count).map { _ in takeWord(&rest) }
    }

    private static func takeWord(_ rest: inout Substring.UTF8View) -> String {
        while true {
            rest = rest.drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "(") }
            if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != 10 && $0 != 13 }
            } else if rest.starts(with: "/*".utf8) {
                rest = afterComment(rest)
            } else {
                let word = rest.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0 & 0xDF) }
                rest = rest[word.endIndex...]
                return String(decoding: word, as: UTF8.self).uppercased()
            }
        }
    }

    /// The text after a comment, which may contain others.
    private static func afterComment(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var rest = text
        var depth = 0
        while !rest.isEmpty {
            if rest.starts(with: "/*".utf8) {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.starts(with: "*/".utf8) {
                depth -= 1
                rest = rest.dropFirst(2)
                if depth == 0 { break }
            } else {
                rest = rest.dropFirst()
            }
        }
        return rest
    }
}
#endif
