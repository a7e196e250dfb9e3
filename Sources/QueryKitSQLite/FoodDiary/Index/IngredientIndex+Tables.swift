import FoodDiaryKit
import Foundation
import QueryKitSQLite

/// The index in a database, kept from Swift in the transaction that changes the ingredients.
///
/// The triggers that SQLite's documentation shows would need a schema that is trusted. The text is taken apart in Swift, too, and SQLite only
/// splits it at spaces: so an index does not depend on the version of SQLite. On the rules in Swift, and on the version of Unicode that the system knows,
/// it does; see ``IndexRules``.
extension IngredientIndex {
    // A row of the full-text index has no text of its own, and a number that orders it: what is used most comes first without sorting, and of
    // what is used alike the short names, of which what was typed is the greater part. Names are looked up by their keys, and words that may be
    // misspelled are sought among the terms, which only grow: so they can be kept in memory.
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

    /// By which rules the index was made. No rules have the number 0, so it is made anew when the database is opened.
    static let rulesMigration = SQLiteMigration(
        "food diary: rules of the search",
        "ALTER TABLE ingredient_terms_version ADD COLUMN rules INTEGER NOT NULL DEFAULT 0"
    )

    /// Whether it was made by other rules than those of today.
    static func isOutdated(in db: SQLiteReadTransaction) throws -> Bool {
        try db.value(Int64.self, "SELECT rules FROM ingredient_terms_version") != IndexRules.mark
    }

    /// Takes in a new ingredient.
    static func insert(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {
        var writer = try IngredientIndexWriter(db)
        try writer.insert(ingredient)
    }

    /// Takes an ingredient out, which must be exactly what was taken in.
    static func remove(_ ingredient: Ingredient, in db: SQLiteWriteTransaction) throws {
        guard holds(ingredient.id) else { return }
        let text = text(of: ingredient)
        let rank = rank(of: ingredient)
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rowid, words) VALUES ('delete', \(rank), \(text))")
        for key in keys(of: ingredient) {
            try db.execute("DELETE FROM ingredient_names WHERE key = \(key) AND rank = \(rank)")
        }
    }

    /// Puts an ingredient where its use belongs. It must be exactly what was taken in.
    static func move(_ ingredient: Ingredient, toUsage usageCount: Int, in db: SQLiteWriteTransaction) throws {
        let old = rank(of: ingredient)
        let new = rank(of: ingredient.id, ingredient.name, usageCount: usageCount)
        if old == new || !holds(ingredient.id) { return }
        let text = text(of: ingredient)
        // In the order of their numbers: a lower one makes FTS5 write out what it has gathered so far.
        if new < old { try db.execute("INSERT INTO ingredient_search (rowid, words) VALUES (\(new), \(text))") }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rowid, words) VALUES ('delete', \(old), \(text))")
        if new > old { try db.execute("INSERT INTO ingredient_search (rowid, words) VALUES (\(new), \(text))") }
        for key in keys(of: ingredient) {
            try db.execute("UPDATE ingredient_names SET rank = \(new) WHERE key = \(key) AND rank = \(old)")
        }
    }

    /// Makes the index anew from the ingredients, whatever it was: after an import, or after damage.
    static func rebuild(in db: SQLiteWriteTransaction, checking check: () throws -> Void = {}) throws {
        try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('delete-all')")
        try db.execute("DELETE FROM ingredient_names")
        try db.execute("DELETE FROM ingredient_terms")
        // The keys of terms begin anew, so what is in memory somewhere no longer fits.
        try db.execute("DELETE FROM ingredient_terms_version")
        let version = Int64.random(in: 1...Int64.max)
        try db.execute("INSERT INTO ingredient_terms_version (id, version, rules) VALUES (1, \(version), \(IndexRules.mark))")
        var ranks: [Int64] = []
        try db.forEach("SELECT id, name, usage_count FROM ingredients") { row in
            let id = Ingredient.ID(rawValue: try row[0])
            // One that can not be found is better than none that can.
            if holds(id) { ranks.append(rank(of: id, try row[1], usageCount: try row[2])) }
        }
        try insert(ranks, in: db, checking: check)
        try db.execute("INSERT INTO ingredient_search (ingredient_search) VALUES ('optimize')")
    }

    /// Takes in many new ingredients, of which only the numbers have to be in memory.
    static func insert(_ ranks: [Int64], in db: SQLiteWriteTransaction, checking check: () throws -> Void = {}) throws {
        if ranks.isEmpty { return }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rank) VALUES ('hashsize', 33554432)")
        var writer = try IngredientIndexWriter(db)
        // In their order: a lower number makes FTS5 write out what it has gathered so far.
        for rank in ranks.sorted() {
            try check()
            let row = try db.row(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients i WHERE i.id = \(rank & idMask)")
            if let row { try writer.insert(row) }
        }
        try db.execute("INSERT INTO ingredient_search (ingredient_search, rank) VALUES ('hashsize', 1048576)")
    }
}

/// Takes in many ingredients, with statements that are prepared once.
struct IngredientIndexWriter: ~Copyable {
    private let text: SQLitePreparedStatement
    private let name: SQLitePreparedStatement
    private let term: SQLitePreparedStatement
    /// Most words come again and again.
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
            throw FoodDiaryError(.invalid, "The key \(ingredient.id.rawValue) of \(ingredient.name) is out of bounds.")
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
