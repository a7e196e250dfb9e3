import FoodDiaryKit
import QueryKitSQLite

/// A database as a source of candidates for one search.
///
/// A search combines the same words in many ways, so the answers are kept until it ends. Most words of a misspelled text are in no
/// ingredient, and neither are most plurals that `WordForms` forms. Once the vocabulary is in use, such words are left out of the
/// queries, and a query that needs one of them isn't executed.
// Used on one thread, within one transaction.
final class DatabaseSource: SearchSource {
    private let db: SQLiteReadTransaction
    private let cache: VocabularyCache
    private let nameWords: NameWords
    /// The vocabulary, once it was needed. A text that is found as typed doesn't need it, and reading it takes long the first time.
    private var terms: (vocabulary: Vocabulary, last: Int64)?
    private var found: [Question: [SearchCandidate]] = [:]
    /// Whether anything matches a full-text query.
    private var hasMatch: [String: Bool] = [:]
    private var corrections: [Misspelling: [Vocabulary.Correction]] = [:]

    private struct Question: Hashable {
        let text: String
        let isKey: Bool
        let limit: Int
    }

    private enum Misspelling: Hashable {
        case of(word: String, asPrefix: Bool)
        case soundingLike(word: String)
    }

    private static let columns: SQL = "i.id, i.usage_count, i.category, i.name, i.aliases"
    /// Sorts after every continuation of a key.
    private static let end = "\u{10FFFF}"

    init(db: SQLiteReadTransaction, cache: VocabularyCache, nameWords: NameWords) {
        self.db = db
        self.cache = cache
        self.nameWords = nameWords
    }

    // MARK: Candidates

    func candidates(named key: String, limit: Int) throws -> [SearchCandidate] {
        try candidates(
            Question(text: key, isKey: true, limit: limit),
            """
            SELECT \(Self.columns) FROM ingredient_names n CROSS JOIN ingredients i ON i.id = n.rank & \(IngredientIndex.idMask)
            WHERE n.key = \(key) ORDER BY n.rank LIMIT \(limit)
            """
        )
    }

    func candidates(beginning key: String, limit: Int) throws -> [SearchCandidate] {
        try candidates(
            """
            SELECT \(Self.columns) FROM ingredient_names n CROSS JOIN ingredients i ON i.id = n.rank & \(IngredientIndex.idMask)
            WHERE n.key > \(key) AND n.key < \(key + Self.end) ORDER BY n.key, n.rank LIMIT \(limit)
            """
        )
    }

    func candidates(with terms: [SearchTerm], category: IngredientCategory?, limit: Int) throws -> [SearchCandidate] {
        var parts: [String] = []
        for term in terms {
            guard let part = try fullTextQuery(term) else { return [] }
            parts.append(part)
        }
        if let category { parts.append("\"\(IngredientIndex.term(category))\"") }
        let query = parts.joined(separator: " AND ")
        return try candidates(
            Question(text: query, isKey: false, limit: limit),
            """
            SELECT \(Self.columns) FROM ingredient_search s CROSS JOIN ingredients i ON i.id = s.rowid & \(IngredientIndex.idMask)
            WHERE s.ingredient_search MATCH \(query) ORDER BY s.rowid LIMIT \(limit)
            """
        )
    }

    private func candidates(_ question: Question, _ sql: SQL) throws -> [SearchCandidate] {
        if let known = found[question] { return known }
        let candidates = try candidates(sql)
        found[question] = candidates
        return candidates
    }

    private func candidates(_ sql: SQL) throws -> [SearchCandidate] {
        try db.map(sql) { row in
            SearchCandidate(
                id: Ingredient.ID(rawValue: try row[0]),
                usageCount: try row[1],
                category: IngredientCategory(rawValue: try row[2]),
                name: try row[3],
                aliases: try row[4],
                nameWords: nameWords
            )
        }
    }

    // MARK: Words

    func contains(_ term: SearchTerm) throws -> Bool { try fullTextQuery(term).map(hasMatch) ?? false }

    func corrections(of word: String, asPrefix: Bool) throws -> [Vocabulary.Correction] {
        try corrections(.of(word: word, asPrefix: asPrefix)) { $0.corrections(of: word, asPrefix: asPrefix, upTo: $1) }
    }

    func corrections(soundingLike word: String) throws -> [Vocabulary.Correction] {
        try corrections(.soundingLike(word: word)) { $0.corrections(soundingLike: word, upTo: $1) }
    }

    private func corrections(
        _ misspelling: Misspelling,
        _ find: (_ vocabulary: Vocabulary, _ last: Int64) -> [Vocabulary.Correction]
    ) throws -> [Vocabulary.Correction] {
        if let known = corrections[misspelling] { return known }
        let (vocabulary, last) = try vocabulary()
        let found = find(vocabulary, last)
        corrections[misspelling] = found
        return found
    }

    func parts(of word: String, asPrefix: Bool) throws -> [[String]] {
        // The vocabulary may be newer than this snapshot. Parts that only a later state of the database contains find nothing here.
        try vocabulary().vocabulary.parts(of: word, asPrefix: asPrefix)
    }

    private func vocabulary() throws -> (vocabulary: Vocabulary, last: Int64) {
        if let terms { return terms }
        let terms = try cache.vocabulary(in: db)
        self.terms = terms
        return terms
    }

    // MARK: Full-text queries

    /// The term in FTS5 syntax, without the forms that no ingredient has; `nil` if there are no others.
    private func fullTextQuery(_ term: SearchTerm) throws -> String? {
        let forms = try term.forms.filter { try !isMissing($0) }.map(\.fullTextQuery)
        return forms.count > 1 ? "(" + forms.joined(separator: " OR ") + ")" : forms.first
    }

    /// Whether it is certain that no ingredient has a form.
    private func isMissing(_ form: SearchTerm.Form) throws -> Bool {
        guard let vocabulary = terms?.vocabulary, form.grams == nil, vocabulary.lacks(form.text, asPrefix: form.isPrefix) else {
            return false
        }
        // The vocabulary lacks some very long words, which may begin like this.
        return try !form.isPrefix || !hasMatch(form.fullTextQuery)
    }

    private func hasMatch(_ query: String) throws -> Bool {
        if let known = hasMatch[query] { return known }
        let row = try db.value(Int64.self, "SELECT rowid FROM ingredient_search WHERE ingredient_search MATCH \(query) LIMIT 1")
        hasMatch[query] = row != nil
        return row != nil
    }
}

extension SearchTerm.Form {
    /// The form in FTS5 syntax. Words need no escaping, because they contain only letters and digits.
    fileprivate var fullTextQuery: String {
        if let grams { return "(" + grams.map { "\"\($0)\"" }.joined(separator: " AND ") + ")" }
        return isPrefix ? "\"\(text)\" *" : "\"\(text)\""
    }
}
