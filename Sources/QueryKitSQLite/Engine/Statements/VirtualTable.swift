import Foundation

/// The definition of a virtual table, parsed from the schema.
struct VirtualTable {
    /// The name of its module in lowercase, such as `fts5`.
    let module: String
    private let arguments: [String]

    /// Parses a text such as `CREATE VIRTUAL TABLE f USING fts5(body, content='docs')`; `nil` for any other text.
    init?(_ sql: String) {
        var scanner = Scanner(rest: sql[...])
        for word in ["create", "virtual", "table"] { guard scanner.name()?.lowercased() == word else { return nil } }
        guard scanner.name() != nil, scanner.name()?.lowercased() == "using", let module = scanner.name() else { return nil }
        self.module = module.lowercased()
        arguments = scanner.arguments()
    }

    /// The tables and views whose rows it shows: the external content of a full-text table, or the full-text table of a vocabulary.
    var sources: [String] {
        switch module {
        case "fts3", "fts4", "fts5": content.map { [$0] } ?? []
        // With the name of a schema, the table is the second argument.
        case "fts5vocab": [arguments.dropLast().last].compactMap { $0.map(Self.unquoted) }
        case "fts4aux": [arguments.last].compactMap { $0.map(Self.unquoted) }
        default: []
        }
    }

    /// The ends of the names of its shadow tables, which it writes itself.
    static let shadows = [
        "_config", "_content", "_data", "_docsize", "_idx", "_node", "_parent", "_rowid", "_segdir", "_segments", "_stat",
    ]

    /// The external content table or view; `nil` for a table that stores its own text, or none.
    private var content: String? {
        for argument in arguments {
            guard let equals = argument.firstIndex(of: "=") else { continue }
            let option = argument[..<equals].trimmed.lowercased()
            // FTS5 accepts the beginning of the option's name.
            guard !option.isEmpty, "content".hasPrefix(option) else { continue }
            let name = Self.unquoted(argument[argument.index(after: equals)...].trimmed)
            return name.isEmpty ? nil : name
        }
        return nil
    }

    private static func unquoted(_ name: String) -> String {
        guard let first = name.first, name.count >= 2, "'\"`[".contains(first) else { return name }
        let inner = name.dropFirst().dropLast()
        return first == "[" ? String(inner) : String(inner).replacing("\(first)\(first)", with: "\(first)")
    }

    private struct Scanner {
        var rest: Substring

        /// Skips white space and comments.
        private mutating func skip() {
            while true {
                rest = rest.drop(while: \.isWhitespace)
                if rest.hasPrefix("--") {
                    rest = rest.drop { !$0.isNewline }
                } else if rest.hasPrefix("/*") {
                    rest = rest.dropFirst(2).range(of: "*/").map { rest[$0.upperBound...] } ?? rest.suffix(0)
                } else {
                    return
                }
            }
        }

        /// The next name or keyword, without quotes; `nil` if there is none.
        mutating func name() -> String? {
            skip()
            guard let first = rest.first else { return nil }
            guard let close: Character = ["'": "'", "\"": "\"", "`": "`", "[": "]"][first] else {
                let name = rest.prefix { !$0.isWhitespace && !"()'\"`[/-,;".contains($0) }
                rest = rest[name.endIndex...]
                return name.isEmpty ? nil : String(name)
            }
            var end = rest.index(after: rest.startIndex)
            while end < rest.endIndex {
                let next = rest.index(after: end)
                // A quote inside of a name is doubled.
                if rest[end] != close {
                    end = next
                } else if close != "]", next < rest.endIndex, rest[next] == close {
                    end = rest.index(after: next)
                } else {
                    defer { rest = rest[next...] }
                    return VirtualTable.unquoted(String(rest[..<next]))
                }
            }
            return nil
        }

        /// The texts in parentheses, split at the commas outside of quotes and inner parentheses.
        mutating func arguments() -> [String] {
            skip()
            guard rest.first == "(", let close = rest.lastIndex(of: ")") else { return [] }
            let text = rest[rest.index(after: rest.startIndex)..<close]
            var parts: [String] = []
            var (start, depth) = (text.startIndex, 0)
            var quote: Character?
            for index in text.indices {
                let character = text[index]
                if let open = quote {
                    if character == (open == "[" ? "]" : open) { quote = nil }
                } else if "'\"`[".contains(character) {
                    quote = character
                } else if "()".contains(character) {
                    depth += character == "(" ? 1 : -1
                } else if character == ",", depth == 0 {
                    parts.append(text[start..<index].trimmed)
                    start = text.index(after: index)
                }
            }
            return parts + [text[start...].trimmed]
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
