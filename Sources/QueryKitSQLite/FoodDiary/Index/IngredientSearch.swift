import FoodDiaryKit
import QueryKitSQLite

/// Searches for ingredients in a database.
final class IngredientSearch: Sendable {
    private let cache = VocabularyCache()
    private let nameWords = NameWords()
    private let bounds: SearchBounds

    init(bounds: SearchBounds = .standard) { self.bounds = bounds }

    /// Returns the ingredients that match the user's input, the likeliest first.
    func search(_ typed: String, category: IngredientCategory?, limit: Int, in db: SQLiteReadTransaction) throws -> [Ingredient] {
        try rows(finder(in: db).search(typed, category: category, limit: limit), in: db)
    }

    /// Returns the ingredients that a sentence may mention, the best match of each part first.
    func relevantIngredients(for text: String, limit: Int, in db: SQLiteReadTransaction) throws -> [Ingredient] {
        try rows(finder(in: db).relevantIngredients(for: text, limit: limit), in: db)
    }

    private func finder(in db: SQLiteReadTransaction) -> IngredientFinder<DatabaseSource> {
        IngredientFinder(source: DatabaseSource(db: db, cache: cache, nameWords: nameWords), bounds: bounds)
    }

    private func rows(_ ids: [Ingredient.ID], in db: SQLiteReadTransaction) throws -> [Ingredient] {
        if ids.isEmpty { return [] }
        let rows = try db.rows(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients i WHERE i.id IN \(ids.map(\.rawValue))")
        let ingredients = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        return ids.compactMap { ingredients[$0] }
    }
}

/// A database as a source of search candidates.
struct DatabaseSource: SearchSource {
    let db: SQLiteReadTransaction
    let cache: VocabularyCache
    let nameWords: NameWords

    private static let columns: SQL = "i.id, i.usage_count, i.category, i.name, i.aliases"
    /// Sorts after every continuation of a key.
    private static let end = "\u{10FFFF}"

    func candidates(named key: String, limit: Int) throws -> [SearchCandidate] {
        try candidates(
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
        var query = terms.map(\.fullTextQuery)
        if let category { query.append("\"\(IngredientIndex.term(category))\"") }
        return try candidates(
            """
            SELECT \(Self.columns) FROM ingredient_search s CROSS JOIN ingredients i ON i.id = s.rowid & \(IngredientIndex.idMask)
            WHERE s.ingredient_search MATCH \(query.joined(separator: " AND ")) ORDER BY s.rowid LIMIT \(limit)
            """
        )
    }

    func contains(_ term: SearchTerm) throws -> Bool {
        try db.value(Int64.self, "SELECT rowid FROM ingredient_search WHERE ingredient_search MATCH \(term.fullTextQuery) LIMIT 1") != nil
    }

    func corrections(of word: String, asPrefix: Bool) throws -> [Vocabulary.Correction] {
        let (vocabulary, last) = try cache.vocabulary(in: db)
        return vocabulary.corrections(of: word, asPrefix: asPrefix, upTo: last)
    }

    func corrections(soundingLike word: String) throws -> [Vocabulary.Correction] {
        let (vocabulary, last) = try cache.vocabulary(in: db)
        return vocabulary.corrections(soundingLike: word, upTo: last)
    }

    func parts(of word: String, asPrefix: Bool) throws -> [[String]] {
        // The vocabulary may be newer than this snapshot. Parts that only a later state of the database contains find nothing here.
        try cache.vocabulary(in: db).vocabulary.parts(of: word, asPrefix: asPrefix)
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
}

extension SearchTerm {
    /// The term in FTS5 syntax. Words need no escaping, because they contain only letters and digits.
    fileprivate var fullTextQuery: String {
        let forms = forms.map { form in
            if let grams = form.grams { return "(" + grams.map { "\"\($0)\"" }.joined(separator: " AND ") + ")" }
            return form.isPrefix ? "\"\(form.text)\" *" : "\"\(form.text)\""
        }
        return forms.count == 1 ? forms[0] : "(" + forms.joined(separator: " OR ") + ")"
    }
}
