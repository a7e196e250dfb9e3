import FoodDiaryKit
import QueryKitSQLite

/// Compares the index with the ingredients that it was built from.
///
/// A contentless index can't return the words of a row, only the rows of a word. So each expected word is looked up, and hash values of the
/// matches are added up per row: the sums are equal only if a row has exactly its own words and keys.
struct IndexAudit {
    private var expected: [Int64: Int] = [:]
    /// As bytes, because SQLite distinguishes some texts that are equal in Swift, such as a letter with an accent and the same letter
    /// followed by a combining accent.
    private var words: Set<[UInt8]> = []
    /// The terms to which misspelled words can be corrected.
    private let terms: Set<String>
    private var wrong: Set<Ingredient.ID> = []

    init(_ db: SQLiteReadTransaction) throws {
        // Without a version row, the terms are not used.
        terms = Set(try db.values(String.self, "SELECT term FROM ingredient_terms WHERE EXISTS (SELECT 1 FROM ingredient_terms_version)"))
    }

    /// Adds an ingredient that the index should contain.
    mutating func expect(_ ingredient: Ingredient) throws {
        // An ingredient whose id doesn't fit into a rank isn't indexed.
        guard IngredientIndex.holds(ingredient.id) else { return }
        let rank = IngredientIndex.rank(of: ingredient)
        var sum = 0
        for word in IngredientIndex.text(of: ingredient).utf8.split(separator: UInt8(ascii: " ")).map({ Array($0) }) {
            words.insert(word)
            sum &+= Self.mark(word, isKey: false)
        }
        for key in IngredientIndex.keys(of: ingredient) { sum &+= Self.mark(Array(key.utf8), isKey: true) }
        expected[rank] = sum
        let labels = [ingredient.name] + ingredient.aliases
        let isCorrectable = labels.flatMap(SearchText.words).compactMap(\.correctable).allSatisfy(terms.contains)
        if !isCorrectable { wrong.insert(ingredient.id) }
    }

    /// The ingredients whose rows in the index differ from the expected ones.
    func wrong(_ db: SQLiteReadTransaction) throws -> [Ingredient.ID] {
        var found: [Int64: Int] = [:]
        try db.forEach("SELECT rank, key FROM ingredient_names") { row in
            found[try row[0], default: 0] &+= Self.mark(Array((try row[1] as String).utf8), isKey: true)
        }
        // Includes words that no ingredient has any longer.
        for word in words.union(terms.map { Array($0.utf8) }) {
            let mark = Self.mark(word, isKey: false)
            try rows(with: "\"\(String(decoding: word, as: UTF8.self))\"", db) { found[$0, default: 0] &+= mark }
        }
        // Every row contains the term of a category, which begins with "=".
        try rows(with: "\"=\" *", db) { if found[$0] == nil { found[$0] = 0 } }
        let ranks = Set(expected.keys).union(found.keys).filter { expected[$0] != found[$0] }
        return Array(wrong.union(ranks.map { Ingredient.ID(rawValue: $0 & IngredientIndex.idMask) }))
    }

    private func rows(with query: String, _ db: SQLiteReadTransaction, _ body: (Int64) -> Void) throws {
        try db.forEach("SELECT rowid FROM ingredient_search WHERE ingredient_search MATCH \(query)") { body(try $0[0]) }
    }

    private static func mark(_ text: [UInt8], isKey: Bool) -> Int {
        var hasher = Hasher()
        hasher.combine(isKey)
        hasher.combine(text)
        return hasher.finalize()
    }
}
