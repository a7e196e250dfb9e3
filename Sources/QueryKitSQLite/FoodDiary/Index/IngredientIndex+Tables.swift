import FoodDiaryKit
import Foundation
import QueryKitSQLite

/// The search index in a database. Swift code maintains it in the transaction that changes the ingredients.
///
/// The triggers of SQLite's documentation would need a trusted schema. The text is also split into words in Swift, and SQLite only
/// separates it at spaces, so an index doesn't depend on the version of SQLite. It does depend on the rules in Swift and on the system's
/// version of Unicode; see ``IndexRules``.
extension IngredientIndex {
    // A row of the full-text index stores no text, and its row id is a rank: the most used ingredients come first without sorting, and
    // among equally used ones those with short names, because the input matches a larger part of these. Names are looked up by their keys.
    // Corrections of misspelled words are searched for among the terms, which are only ever added, so they can be cached in memory.
    static let migration = SQLiteMigration(
        "food diary: search",
        """
        CREATE VIRTUAL TABLE ingredient_search USING fts5(
            words, content='', detail=column, columnsize=0, prefix='1 2 3 4', tokenize="ascii tokenchars '='"
        );

        CREATE TABLE ingredient_names (
            key TEXT NOT NULL,
            rank INTEGER NOT NULL,
            PRIMARY KEY (key, rank)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE ingredient_terms (
            id INTEGER PRIMARY KEY,
            term TEXT NOT NULL UNIQUE
        ) STRICT;

        CREATE TABLE ingredient_terms_version (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            version INTEGER NOT NULL
        ) STRICT;
        INSERT INTO ingredient_terms_version (id, version) VALUES (1, 0);
        """
    )

    /// Adds the mark of the rules that have built the index. No rules have the mark 0, so the index is rebuilt when the database is opened.
    static let rulesMigration = SQLiteMigration(
        "food diary: rules of the search",
        "ALTER TABLE ingredient_terms_version ADD COLUMN rules INTEGER NOT NULL DEFAULT 0"
    )

    /// Whether the index was built by other rules than the current ones.
    static func isOutdated(in db: SQLiteReadTransaction) throws -> Bool {
        try db.value(Int64.self, "SELECT rules FROM ingredient_terms_version") != IndexRules.mark
    }

    /// Adds a new ingredient.
    static func insert(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {
        var writer = try IngredientIndexWriter(db)
        try writer.insert(ingredient)
    }

    /// Removes an ingredient, which must be exactly the one that was added.
    static func remove(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {
        guard holds(ingredient.id) else { return }
        let text = text(of: ingredient)
        let rank = rank(of: ingredient)
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rowid, words) VALUES ('delete', \(rank), \(text))")
        for key in keys(of: ingredient) {
            try db.execute("DELETE FROM ingredient_names WHERE key = \(key) AND rank = \(rank)")
        }
    }

    /// Moves an ingredient to the rank for its usage. The ingredient must be exactly the one that was added.
    static func move(_ ingredient: Ingredient, toUsage usageCount: Int, in db: SQLiteWriteTransaction) throws {
        let old = rank(of: ingredient)
        let new = rank(of: ingredient.id, ingredient.name, usageCount: usageCount)
        if old == new || !holds(ingredient.id) { return }
        let text = text(of: ingredient)
        // Write in ascending order of the ranks: a lower rank makes FTS5 flush its pending data.
        if new < old { try db.execute("INSERT INTO ingredient_search (rowid, words) VALUES (\(new), \(text))") }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rowid, words) VALUES ('delete', \(old), \(text))")
        if new > old { try db.execute("INSERT INTO ingredient_search (rowid, words) VALUES (\(new), \(text))") }
        for key in keys(of: ingredient) {
            try db.execute("UPDATE ingredient_names SET rank = \(new) WHERE key = \(key) AND rank = \(old)")
        }
    }

    /// Rebuilds the index from the ingredients, after an import or after damage.
    static func rebuild(in db: SQLiteWriteTransaction, checking check: () throws -> Void = {}) throws {
        try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')")
        try db.execute("DELETE FROM ingredient_names")
        try db.execute("DELETE FROM ingredient_terms")
        // The ids of terms start again, so cached terms are no longer valid.
        try db.execute("DELETE FROM ingredient_terms_version")
        let version = Int64.random(in: 1...Int64.max)
        try db.execute("INSERT INTO ingredient_terms_version (id, version, rules) VALUES (1, \(version), \(IndexRules.mark))")
        var ranks: [Int64] = []
        try db.forEach("SELECT id, name, usage_count FROM ingredients") { row in
            let id = Ingredient.ID(rawValue: try row[0])
            // If an id doesn't fit into a rank, the rebuild continues without that ingredient instead of failing.
            if holds(id) { ranks.append(rank(of: id, try row[1], usageCount: try row[2])) }
        }
        try insert(ranks, in: db, checking: check)
        try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('optimize')")
    }

    /// Adds many new ingredients. Only their ranks must fit into memory.
    static func insert(_ ranks: [Int64], in db: SQLiteWriteTransaction, checking check: () throws -> Void = {}) throws {
        if ranks.isEmpty { return }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rank) VALUES ('hashsize', 33554432)")
        var writer = try IngredientIndexWriter(db)
        // In ascending order, because a lower rank makes FTS5 flush its pending data.
        for rank in ranks.sorted() {
            try check()
            let row = try db.row(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients i WHERE i.id = \(rank & idMask)")
            if let row { try writer.insert(row) }
        }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rank) VALUES ('hashsize', 1048576)")
    }
}

/// Adds many ingredients, with statements that are prepared once.
struct IngredientIndexWriter: ~Copyable {
    private let text: SQLitePreparedStatement
    private let name: SQLitePreparedStatement
    private let term: SQLitePreparedStatement
    /// Most words occur repeatedly.
    private var knownTerms: Set<String> = []

    init(_ db: SQLiteWriteTransaction) throws {
        let text = try db.prepare("INSERT INTO ingredient_search (rowid, words) VALUES (?, ?)")
        let name = try db.prepare("INSERT INTO ingredient_names (key, rank) VALUES (?, ?)")
        let term = try db.prepare("INSERT INTO ingredient_terms (term) VALUES (?) ON CONFLICT DO NOTHING")
        self.text = text
        self.name = name
        self.term = term
    }

    mutating func insert(_ ingredient: Ingredient) throws {
        guard IngredientIndex.holds(ingredient.id) else {
            let id = ingredient.id.rawValue
            throw FoodDiaryError(
                .invalid,
                "\(ingredient.name) can't be added to the search: its key \(id) is out of range. Delete the ingredients with such keys."
            )
        }
        let rank = IngredientIndex.rank(of: ingredient)
        var words: [SearchWord] = []
        var keys: Set<String> = []
        for label in CollectionOfOne(ingredient.name) + ingredient.aliases {
            let own = SearchText.words(of: label)
            let key = SearchText.key(of: own, label)
            if !key.isEmpty, keys.insert(key).inserted { try name.run(key, rank) }
            words += own
        }
        try text.run(rank, IngredientIndex.text(words, ingredient.category))
        for word in words {
            if let correctable = word.correctable, knownTerms.insert(correctable).inserted { try term.run(correctable) }
        }
    }
}
