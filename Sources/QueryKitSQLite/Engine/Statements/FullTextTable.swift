import Foundation

/// Parses the definition of a full-text table.
enum FullTextTable {
    /// The external content table or view: `docs` for `CREATE VIRTUAL TABLE f USING fts5(body, content='docs')`. `nil` for a table that
    /// stores its own text, or none.
    static func content(of sql: String) -> String? {
        guard let using = sql.range(of: "using", options: .caseInsensitive), let open = sql[using.upperBound...].firstIndex(of: "("),
            sql[using.upperBound..<open].trimmed.lowercased().hasPrefix("fts"), let close = sql.lastIndex(of: ")"), open < close
        else { return nil }
        for argument in arguments(sql[sql.index(after: open)..<close]) {
            guard let equals = argument.firstIndex(of: "="), argument[..<equals].trimmed.lowercased() == "content" else { continue }
            let name = unquoted(argument[argument.index(after: equals)...].trimmed)
            return name.isEmpty ? nil : name
        }
        return nil
    }

    /// Splits a text at the commas outside of quotes.
    private static func arguments(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var quote: Character?
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if character == (open == "[" ? "]" : open) { quote = nil }
            } else if "'\"`[".contains(character) {
                quote = character
            } else if character == "," {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }

    private static func unquoted(_ name: String) -> String {
        guard let first = name.first, name.count >= 2, "'\"`[".contains(first) else { return name }
        let inner = name.dropFirst().dropLast()
        return first == "[" ? String(inner) : String(inner).replacing("\(first)\(first)", with: "\(first)")
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
