#if Postgres
public import FoodDiaryKit
public import QueryKitPostgres

/// Ingredients in a database, with their search index.
public struct PostgresIngredientRepository: IngredientRepository {
    private let database: PostgresDatabase
    /// Caches the words of the index in memory. Copies of the repository share it.
    private let finder: IngredientSearch

    /// Creates a repository for the ingredients of a database. Keep it: its cache of the index makes searches fast.
    public init(_ database: PostgresDatabase) { self.init(database, IngredientSearch()) }

    init(_ database: PostgresDatabase, _ finder: IngredientSearch) { (self.database, self.finder) = (database, finder) }

    public func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient] {
        guard !ids.isEmpty else { return [] }
        return try await database.read { db in
            let byID = try await db.ingredients(ids)
            return ids.compactMap { byID[$0] }
        }
    }

    public func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient] {
        try await database.read { db in
            try await db.rows(
                Ingredient.self,
                """
                SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id > \(id?.rawValue ?? .min) ORDER BY i.id LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient] {
        try await database.read { db in try await finder.search(typed, category: category, limit: limit, in: db) }
    }

    public func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient] {
        try await database.read { db in try await finder.relevantIngredients(for: text, limit: limit, in: db) }
    }

    public func popularIngredients(limit: Int) async throws -> [Ingredient] {
        try await database.read { db in
            try await db.rows(
                Ingredient.self,
                "SELECT \(Ingredient.columns) FROM ingredients AS i ORDER BY i.usage_count DESC, i.id LIMIT \(max(0, limit))"
            )
        }
    }

    public func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient {
        let draft = try draft.validated()
        return try await Self.refusingTakenName(draft.name) {
            try await database.write { db in
                let known = try await db.ingredients(named: [draft.name])
                if let namesake = known.values.first, namesake.id != id { throw FoodDiaryError.nameTaken(namesake.name) }
                guard let id else {
                    let ingredient = Ingredient(id: try await db.newIngredients(1)[0], draft)
                    try await db.execute(IngredientColumns([ingredient]).insertion)
                    try await IngredientIndex.insert([ingredient], in: db)
                    return ingredient
                }
                let statement: SQL = "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id = \(id.rawValue) FOR UPDATE"
                guard let old = try await db.row(Ingredient.self, statement) else { throw FoodDiaryError.noIngredient(id) }
                let ingredient = Ingredient(id: id, draft, usageCount: old.usageCount)
                if ingredient != old { try await db.execute(IngredientColumns([ingredient]).update) }
                if !IngredientIndex.holdsAlike(old, ingredient) {
                    try await IngredientIndex.remove([id], in: db)
                    try await IngredientIndex.insert([ingredient], in: db)
                }
                if correctingHistory { try await db.correctEntries(of: ingredient) }
                return ingredient
            }
        }
    }

    public func delete(_ id: Ingredient.ID) async throws -> Bool {
        // Foreign keys also delete its rows in the index, and clear the references of its entries.
        try await database.write { db in try await db.execute("DELETE FROM ingredients WHERE id = \(id.rawValue)") > 0 }
    }

    public func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport {
        try await ImportPull.run(next) { pull in
            try await Self.refusingTakenName(nil) {
                try await database.write { db in
                    try pull.begin(after: "Another write conflicted with the import")
                    var outcome = IngredientImport()
                    while let drafts = try await pull.batch() {
                        let batch = try await ImportedIngredients(drafts, in: db)
                        try await batch.write(in: db)
                        outcome.added += batch.outcome.added
                        outcome.updated += batch.outcome.updated
                    }
                    try pull.check()
                    return outcome
                }
            }
        }
    }

    /// If another transaction takes the name at the same moment, throws the same error as for a name that was taken before.
    private static func refusingTakenName<Result>(_ name: String?, _ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch let error as PostgresError where error.sqlState == "23505" {
            guard let name else {
                throw FoodDiaryError(.duplicate, "An ingredient was added during the import, and nothing was imported. Import again.")
            }
            throw FoodDiaryError.nameTaken(name)
        }
    }
}

/// A batch of an import: new ingredients, and existing ones that drafts replace.
private struct ImportedIngredients {
    private(set) var outcome = IngredientImport()
    private var known: [String: Ingredient]
    private var added: [String] = []
    private var stored: [String: Ingredient] = [:]

    init(_ drafts: [Ingredient.Draft], in db: PostgresWriteTransaction) async throws {
        let drafts = try drafts.map { try $0.validated() }
        known = try await db.ingredients(named: drafts.map(\.name))
        stored = known
        var ids = try await db.newIngredients(Set(drafts.map { Ingredient.key(of: $0.name) }).subtracting(known.keys).count)[...]
        for draft in drafts {
            let key = Ingredient.key(of: draft.name)
            if let old = known[key] {
                known[key] = Ingredient(id: old.id, draft.filled(from: old), usageCount: old.usageCount)
                outcome.updated += 1
            } else if let id = ids.popFirst() {
                known[key] = Ingredient(id: id, draft)
                added.append(key)
                outcome.added += 1
            }
        }
    }

    func write(in db: PostgresWriteTransaction) async throws {
        let new = added.compactMap { known[$0] }
        let changed = stored.compactMap { key, old in known[key].flatMap { $0 == old ? nil : (old: old, new: $0) } }
        if !new.isEmpty { try await db.execute(IngredientColumns(new).insertion) }
        if !changed.isEmpty { try await db.execute(IngredientColumns(changed.map(\.new)).update) }
        let renamed = changed.filter { !IngredientIndex.holdsAlike($0.old, $0.new) }.map(\.new)
        try await IngredientIndex.remove(renamed.map(\.id), in: db)
        try await IngredientIndex.insert(new + renamed, in: db)
    }
}

extension PostgresWriteTransaction {
    /// The ingredients with these names, by the keys of their names. They can't change before the transaction ends.
    fileprivate func ingredients(named names: [String]) async throws -> [String: Ingredient] {
        let keys = ColumnValues(Set(names.map { Ingredient.key(of: $0) })).array("text[]")
        let rows = try await rows(
            Ingredient.self,
            """
            SELECT \(Ingredient.columns) FROM unnest(\(keys)) AS r (key) JOIN ingredients AS i ON i.name_key = r.key
            ORDER BY i.id FOR NO KEY UPDATE OF i
            """
        )
        return Dictionary(rows.map { (Ingredient.key(of: $0.name), $0) }) { $1 }
    }

    /// Keys for new ingredients.
    fileprivate func newIngredients(_ count: Int) async throws -> [Ingredient.ID] {
        if count == 0 { return [] }
        return try await values(Int64.self, "SELECT nextval('ingredients_id_seq') FROM generate_series(1, \(count)::bigint)")
            .map { Ingredient.ID(rawValue: $0) }
    }

    /// Updates all entries of an ingredient to its current nutrients, and the totals of their days.
    fileprivate func correctEntries(of ingredient: Ingredient) async throws {
        var tally = DiaryTally()
        var changed: [FoodEntry] = []
        let entries = try await rows(
            FoodEntry.self,
            "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.ingredient = \(ingredient.id.rawValue) ORDER BY e.id FOR UPDATE"
        )
        for entry in entries {
            let corrected = entry.with(nutrients: ingredient.nutrients(in: entry.grams))
            guard corrected != entry else { continue }
            changed.append(corrected)
            tally.remove(entry)
            tally.add(corrected)
        }
        if !changed.isEmpty { try await execute(each: [EntryColumns(changed).update] + tally.statements) }
    }
}
#endif
