#if Postgres
import FoodDiaryKit
import QueryKitPostgres

/// The search index in a database. Swift code maintains it in the transaction that changes the ingredients.
///
/// Texts are split into words in Swift, so that all systems find the same. PostgreSQL indexes the words as they are.
extension IngredientIndex {
    // Usage isn't part of the index: an ingredient that is eaten only changes its own row. Words and names are deleted with their
    // ingredient. Terms, to which misspelled words are corrected, are only ever added, so they can be cached in memory.
    static let migration = PostgresMigration(
        "food diary: search",
        """
        CREATE TABLE ingredient_search (
            ingredient bigint PRIMARY KEY REFERENCES ingredients ON DELETE CASCADE,
            words tsvector NOT NULL
        );
        CREATE INDEX ingredient_search_by_word ON ingredient_search USING gin (words);

        CREATE TABLE ingredient_names (
            key text COLLATE "C" NOT NULL,
            ingredient bigint NOT NULL REFERENCES ingredients ON DELETE CASCADE,
            PRIMARY KEY (key, ingredient)
        );
        CREATE INDEX ingredient_names_by_ingredient ON ingredient_names (ingredient);

        CREATE TABLE ingredient_terms (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            term text COLLATE "C" NOT NULL UNIQUE
        );

        CREATE TABLE ingredient_terms_version (
            id integer PRIMARY KEY CHECK (id = 1),
            version bigint NOT NULL,
            rules bigint NOT NULL
        );
        INSERT INTO ingredient_terms_version (id, version, rules) VALUES (1, 0, 0);
        """
    )

    /// The rules by which the index is built from ingredients, as a number that is stored with the index. If an older version of the app
    /// has built it, it is rebuilt when the database is opened.
    ///
    /// Increase this number with each change of what the index contains for an ingredient: in `SearchText`, `SearchWord.indexed`,
    /// `LetterFolding` and `Vocabulary.holds`, and in the keys and terms of `IngredientIndex`. Systems with different versions of Unicode
    /// don't rebuild each other's index: they differ only in letters that one of them doesn't know.
    static let rules: Int64 = 1

    /// Whether the index was built by older rules than the current ones.
    static func isOutdated(in db: PostgresReadTransaction) async throws -> Bool {
        try await db.value(Int64.self, "SELECT rules FROM ingredient_terms_version") ?? 0 < rules
    }

    /// Removes the words and names of ingredients.
    static func remove(_ ids: [Ingredient.ID], in db: PostgresWriteTransaction) async throws {
        if ids.isEmpty { return }
        let gone = ColumnValues(ids.map(\.rawValue)).array("bigint[]")
        // Joins rather than lists: a plan that was made while the tables were empty would compare each row with the whole list.
        try await db.execute(each: [
            "DELETE FROM ingredient_search AS s USING unnest(\(gone)) AS r (id) WHERE s.ingredient = r.id",
            "DELETE FROM ingredient_names AS n USING unnest(\(gone)) AS r (id) WHERE n.ingredient = r.id",
        ])
    }

    /// Adds ingredients that the index doesn't contain.
    static func insert(_ ingredients: [Ingredient], in db: PostgresWriteTransaction) async throws {
        if ingredients.isEmpty { return }
        let ids = ColumnValues(ingredients.map(\.id.rawValue)).array("bigint[]")
        let texts = ColumnValues(ingredients.map { text(of: $0) }).array("text[]")
        var (names, owners, terms) = (ColumnValues(), ColumnValues(), Set<String>())
        for ingredient in ingredients {
            for key in keys(of: ingredient) {
                names.append(storedKey(key))
                owners.append(ingredient.id.rawValue)
            }
            terms.formUnion(([ingredient.name] + ingredient.aliases).flatMap(SearchText.words).compactMap(\.correctable))
        }
        try await db.execute(each: [
            """
            INSERT INTO ingredient_search (ingredient, words)
            SELECT r.ingredient, array_to_tsvector(string_to_array(r.words, ' ')) FROM unnest(\(ids), \(texts)) AS r (ingredient, words)
            """,
            """
            INSERT INTO ingredient_names (key, ingredient)
            SELECT r.key, r.ingredient FROM unnest(\(names.array("text[]")), \(owners.array("bigint[]"))) AS r (key, ingredient)
            ON CONFLICT DO NOTHING
            """,
        ])
        try await add(terms, in: db)
    }

    /// Adds the terms that are missing.
    ///
    /// Transactions that add terms run one after the other, so that a term never becomes visible after one with a higher number.
    private static func add(_ terms: Set<String>, in db: PostgresWriteTransaction) async throws {
        let all = ColumnValues(terms).array("text[]")
        let new: SQL =
            "SELECT r.term FROM unnest(\(all)) AS r (term) WHERE NOT EXISTS (SELECT 1 FROM ingredient_terms AS t WHERE t.term = r.term)"
        guard try await db.value(Bool.self, "SELECT EXISTS (\(new))") == true else { return }
        _ = try await db.value(Int64.self, "SELECT version FROM ingredient_terms_version FOR UPDATE")
        try await db.execute("INSERT INTO ingredient_terms (term) \(new) ON CONFLICT DO NOTHING")
    }

    /// The form of a key that fits into an index of PostgreSQL. Only a name of rare letters that stand for whole phrases has a key that is
    /// too long.
    static func storedKey(_ key: String) -> String {
        guard key.utf8.count > 2_000 else { return key }
        var stored = String.UnicodeScalarView()
        var count = 0
        for scalar in key.unicodeScalars {
            count += UTF8.width(scalar)
            if count > 2_000 { break }
            stored.append(scalar)
        }
        return String(stored)
    }

    /// Rebuilds the index from the ingredients.
    static func rebuild(in db: PostgresWriteTransaction, checking check: () throws -> Void = {}) async throws {
        // No transaction that has changed ingredients may add its words later.
        try await db.execute("LOCK TABLE ingredients IN SHARE ROW EXCLUSIVE MODE")
        try await db.execute(each: ["DELETE FROM ingredient_search", "DELETE FROM ingredient_names", "DELETE FROM ingredient_terms"])
        // The terms are other ones than before, so cached terms are no longer valid.
        try await db.execute("UPDATE ingredient_terms_version SET version = \(Int64.random(in: 1...Int64.max)), rules = \(rules)")
        var last = Int64.min
        while true {
            try check()
            let part = try await db.rows(
                Ingredient.self,
                "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id > \(last) ORDER BY i.id LIMIT 1000"
            )
            guard let end = part.last else { return }
            try await insert(part, in: db)
            last = end.id.rawValue
        }
    }
}

extension SearchTerm {
    /// The term as a `tsquery`.
    var query: String {
        let forms = forms.map { form in
            if let grams = form.grams { return "(" + grams.map(Self.quoted).joined(separator: " & ") + ")" }
            return form.isPrefix ? Self.quoted(form.text) + ":*" : Self.quoted(form.text)
        }
        return forms.count == 1 ? forms[0] : "(" + forms.joined(separator: " | ") + ")"
    }

    /// Words contain only letters and digits, so they need no escaping.
    static func quoted(_ word: String) -> String { "'\(word)'" }
}
#endif
