/// What a user typed, as a query for full-text search: every word is looked for as it is, whatever its characters.
///
/// The text of `MATCH` is a language with operators of its own, and binding does not protect it: `non-fat` asks for a column, `rice OR` is a syntax error.
/// Here each word becomes a quoted term.
///
/// ```swift
/// guard let query = FullTextQuery(typed, prefix: true) else { return [] }
/// return try db.rows("SELECT name FROM food_index WHERE food_index MATCH \(query)")
/// ```
public struct FullTextQuery: Hashable, Sendable {
    /// How several words are looked for.
    public enum Matching: Sendable {
        case all, any
    }

    /// The query, as FTS5 reads it.
    public let text: String

    /// Creates a query from words, in any order; `nil` where there are none. What has neither a letter nor a digit in it, such as `&`, is left out: no index
    /// holds it, and nothing would be found.
    ///
    /// - Parameters:
    ///   - typed: Words, separated by white space.
    ///   - matching: Whether all words must be found, or any. Default: all.
    ///   - prefix: Whether the last word may be the beginning of one, as while a user is typing. Default: no.
    public init?(_ typed: String, matching: Matching = .all, prefix: Bool = false) {
        // A NUL ends the text for FTS5, and with it a quotation that is open. Scalars, because a character may be a quote with an accent.
        let words = typed.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }.filter { $0.contains(where: \.isToken) }
        guard let last = words.last else { return nil }
        // FTS5 takes quadratic time for a word that comes again and again, as in a text that was pasted.
        var seen: Set<[Unicode.Scalar]> = [Array(last)]
        let distinct = words.dropLast().filter { seen.insert(Array($0)).inserted } + [last]
        var terms = distinct.map { word in
            var term = "\""
            for scalar in word {
                if scalar == "\"" { term += "\"" }
                term.unicodeScalars.append(scalar)
            }
            return term + "\""
        }
        if prefix { terms[terms.count - 1] += " *" }
        text = terms.joined(separator: matching == .all ? " AND " : " OR ")
    }
}

extension Unicode.Scalar {
    /// Whether the tokenizer of full-text search takes it for a part of a word: "all unicode characters of categories L*, N* and Co".
    fileprivate var isToken: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber, .privateUse:
            true
        default: false
        }
    }
}
