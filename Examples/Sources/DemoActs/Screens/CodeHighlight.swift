import Terminal

/// Styles for Swift code: keywords, texts and comments.
enum CodeHighlight {
    private static let keywords: Set<Substring> = [
        "async", "await", "break", "extension", "for", "func", "in", "let", "static", "struct", "throws", "try", "var", "where",
    ]

    static func line(_ code: String) -> Line {
        var line = Line()
        var rest = code[...]
        while let first = rest.first {
            let (piece, style) = piece(rest, first)
            line += Line(String(piece), style)
            rest = rest[piece.endIndex...]
        }
        return line
    }

    private static func piece(_ rest: Substring, _ first: Character) -> (Substring, Style) {
        if rest.hasPrefix("//") { return (rest, .faint) }
        if first == "\"" {
            let end = rest.dropFirst().firstIndex(of: "\"") ?? rest.index(before: rest.endIndex)
            return (rest[...end], .good)
        }
        if isWord(first) {
            let word = rest.prefix(while: isWord)
            return (word, keywords.contains(word) ? .series(2) : .plain)
        }
        return (rest.prefix { !isWord($0) && $0 != "\"" && $0 != "/" }.nonEmpty(or: rest.prefix(1)), .plain)
    }

    private static func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber || character == "_" }
}

extension Substring {
    fileprivate func nonEmpty(or other: Substring) -> Substring { isEmpty ? other : self }
}
