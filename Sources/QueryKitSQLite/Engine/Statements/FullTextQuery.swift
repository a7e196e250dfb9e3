/// User input as a full-text query: each word is searched for literally, including special characters.
///
/// The text of `MATCH` is a query language, and binding doesn't escape it: `non-fat` refers to a column, and `rice OR` is a syntax error.
/// This type turns each word into a quoted term.
///
/// ```swift
/// guard let query = FullTextQuery(typed, prefix: true) else { return [] }
/// return try db.rows(
///     "SELECT name FROM food_index WHERE food_index MATCH \(query)"
/// )
/// ```
public struct FullTextQuery: Hashable, Sendable {
    /// How several words are combined.
    public enum Matching: Sendable {
        case all, any
    }

    /// The query in FTS5 syntax.
    public let text: String

    /// Creates a query from words in any order; `nil` if there are none. Words with neither a letter nor a digit, such as `&`, are left
    /// out: no index contains them, so the query would find nothing.
    ///
    /// - Parameters:
    ///   - typed: Words, separated by white space.
    ///   - matching: Whether a match must contain all words or any of them. Default: all.
    ///   - prefix: Whether the last word may be the beginning of a longer one, as while a user is typing. Default: `false`.
    public init?(_ typed: String, matching: Matching = .all, prefix: Bool = false) {
        // For FTS5 a NUL ends the text, even within a quoted term. Scalars are compared because a character may be a quote with an accent.
        let words = typed.unicodeScalars.split { $0.properties.isWhitespace || $0 == "\0" }.filter { $0.contains(where: \.isToken) }
        guard let last = words.last else { return nil }
        // FTS5 takes quadratic time for a repeated word, as in pasted text, so duplicates are removed.
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

extension SQL.StringInterpolation {
    /// Binds the text of a full-text query.
    public mutating func appendInterpolation(_ query: FullTextQuery) { appendInterpolation(query.text) }

    /// Unavailable. The compiler chooses this method for an optional query, so that the message explains how to unwrap the query.
    @available(
        *,
        unavailable,
        message: "FullTextQuery is nil for a text without words. Unwrap it first: guard let query = FullTextQuery(text) else { return [] }"
    )
    public mutating func appendInterpolation(_ query: FullTextQuery?) {}
}

extension Unicode.Scalar {
    /// Whether the tokenizer of FTS5 counts this scalar as part of a word: "all unicode characters of categories L*, N* and Co".
    fileprivate var isToken: Bool {
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber, .privateUse:
            true
        default: false
        }
    }
}
