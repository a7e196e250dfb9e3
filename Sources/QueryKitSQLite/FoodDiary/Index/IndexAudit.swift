import FoodDiaryKit
import QueryKitSQLite

/// Compares the index with the ingredients of which it is made.
///
/// A contentless index can not say what it holds of a row, but where a word occurs. So each word that it should hold is looked up, and what is found
/// is added up by row: sums of hash values are the same only if a row has all its words and keys, and no others.
struct IndexAudit {
    private var expected: [Int64: Int] = [:]
    /// As bytes: to SQLite two texts are not the same that to Swift are, such as a letter with its accent and the two one after the other.
    private var words: Set<[UInt8]> = []
    /// The words that can be meant by misspelled ones.
    private let terms: Set<String>
    private var wrong: Set<Ingredient.ID> = []

    init(_ db: SQLiteReadTransaction) throws {
        // Without a version nobody reads them.
        terms = Set(try db.values(String.self, "SELECT term FROM ingredient_terms WHERE EXISTS (SELECT 1 FROM ingredient_terms_version)"))
    }

    /// Says that there is an ingredient.
    mutating func expect(_ ingredient: Ingredient) throws {
        // One for which there is no room is not in it.
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

    /// The ingredients of which the index holds anything else.
    func wrong(_ db: SQLiteReadTransaction) throws -> [Ingredient.ID] {
        var found: [Int64: Int] = [:]
        try db.forEach("SELECT rank, key FROM ingredient_names") { row in
            found[try row[0], default: 0] &+= Self.mark(Array((try row[1] as String).utf8), isKey: true)
        }
        // Also words that no ingredient has any more.
        for word in words.union(terms.map { Array($0.utf8) }) {
            let mark = Self.mark(word, isKey: false)
            try rows(with: "\"\(String(decoding: word, as: UTF8.self))\"", db) { found[$0, default: 0] &+= mark }
        }
        // Each row has a kind of food, whatever else it has.
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
