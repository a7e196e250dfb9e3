public import FoodDiaryKit
public import QueryKitSQLite

/// Ingredients in a database, with their search index.
public struct SQLiteIngredientRepository: IngredientRepository {
    private let database: SQLiteDatabase
    /// Caches the words of the index in memory. Copies of the repository share it.
    private let finder = IngredientSearch()

    /// Creates a repository for the ingredients of a database. Keep it: its cache of the index makes searches fast.
    public init(_ database: SQLiteDatabase) { self.database = database }

    public func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient] {
        guard !ids.isEmpty else { return [] }
        return try await database.read { db in
            var byID: [Ingredient.ID: Ingredient] = [:]
            // A statement accepts a few thousand values, but the caller's list may be longer.
            for start in stride(from: 0, to: ids.count, by: 500) {
                let part = Array(ids[start..<min(start + 500, ids.count)])
                let found = try db.rows(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id IN \(part)")
                for ingredient in found { byID[ingredient.id] = ingredient }
            }
            return ids.compactMap { byID[$0] }
        }
    }

    public func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient] {
        try await database.read { db in
            try db.rows(
                Ingredient.self,
                """
                SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id > \(id?.rawValue ?? .min) ORDER BY i.id LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient] {
        let finder = finder
        return try await database.read { db in try finder.search(typed, category: category, limit: limit, in: db) }
    }

    public func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient] {
        let finder = finder
        return try await database.read { db in try finder.relevantIngredients(for: text, limit: limit, in: db) }
    }

    public func popularIngredients(limit: Int) async throws -> [Ingredient] {
        try await database.read { db in
            try db.rows(
                Ingredient.self,
                "SELECT \(Ingredient.columns) FROM ingredients AS i ORDER BY i.usage_count DESC, i.id LIMIT \(max(0, limit))"
            )
        }
    }

    public func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient {
        let draft = try draft.validated()
        return try await database.write { db in
            let namesake = try db.ingredient(named: draft.name)
            if let namesake, namesake.id != id { throw FoodDiaryError.nameTaken(namesake.name) }
            guard let id else { return try db.add(draft) }
            guard let old = try db.ingredient(id) else { throw FoodDiaryError.noIngredient(id) }
            let ingredient = try db.replace(old, with: draft)
            if correctingHistory { try db.correctEntries(of: ingredient) }
            return ingredient
        }
    }

    public func delete(_ id: Ingredient.ID) async throws -> Bool {
        try await database.write { db in
            guard let ingredient = try db.ingredient(id) else { return false }
            try IngredientIndex.remove(ingredient, in: db)
            try db.execute("DELETE FROM ingredients WHERE id = \(id)")
            return true
        }
    }

    public func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport {
        try await ImportPull.run(next) { pull in
            try await database.write { db in
                try db.stayOnLane()
                try pull.begin()
                var outcome = IngredientImport()
                var changes = IngredientIndexChanges()
                while let drafts = try pull() {
                    for draft in drafts {
                        let draft = try draft.validated()
                        if let old = try db.ingredient(named: draft.name) {
                            changes.note(try db.replaceRow(of: old, with: draft.filled(from: old)), insteadOf: old)
                            outcome.updated += 1
                        } else {
                            changes.note(try db.addRow(of: draft), insteadOf: nil)
                            outcome.added += 1
                        }
                    }
                }
                try changes.apply(in: db, checking: pull.check)
                return outcome
            }
        }
    }
}

extension SQLiteReadTransaction {
    fileprivate func ingredient(_ id: Ingredient.ID) throws -> Ingredient? {
        try row(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id = \(id)")
    }

    fileprivate func ingredient(named name: String) throws -> Ingredient? {
        try row(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.name_key = \(Ingredient.key(of: name))")
    }
}

extension SQLiteWriteTransaction {
    fileprivate func add(_ draft: Ingredient.Draft) throws -> Ingredient {
        let ingredient = try addRow(of: draft)
        try IngredientIndex.insert(ingredient, in: self)
        return ingredient
    }

    /// Inserts a row. The caller must add the ingredient to the index.
    fileprivate func addRow(of draft: Ingredient.Draft) throws -> Ingredient {
        let amounts = draft.nutrients.thousandths
        try execute(
            """
            INSERT INTO ingredients (
                name, name_key, aliases, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, portions
            ) VALUES (
                \(draft.name), \(Ingredient.key(of: draft.name)), \(draft.aliasLines), \(draft.category.rawValue), \(amounts.kilocalories),
                \(amounts.protein), \(amounts.carbohydrates), \(amounts.fat), \(amounts.fiber), \(amounts.sugar), \(amounts.salt),
                \(draft.portionLines)
            )
            """
        )
        return Ingredient(id: Ingredient.ID(rawValue: lastInsertedRowID), draft)
    }

    fileprivate func replace(_ old: Ingredient, with draft: Ingredient.Draft) throws -> Ingredient {
        let ingredient = try replaceRow(of: old, with: draft)
        if !IngredientIndex.holdsAlike(old, ingredient) {
            try IngredientIndex.remove(old, in: self)
            try IngredientIndex.insert(ingredient, in: self)
        }
        return ingredient
    }

    /// Updates a row. The caller must update the index, which still contains the old ingredient.
    fileprivate func replaceRow(of old: Ingredient, with draft: Ingredient.Draft) throws -> Ingredient {
        let ingredient = Ingredient(id: old.id, draft, usageCount: old.usageCount)
        guard ingredient != old else { return old }
        let amounts = draft.nutrients.thousandths
        try execute(
            """
            UPDATE ingredients SET
                name = \(draft.name), name_key = \(Ingredient.key(of: draft.name)), aliases = \(draft.aliasLines),
                category = \(draft.category.rawValue), kilocalories = \(amounts.kilocalories), protein = \(amounts.protein),
                carbohydrates = \(amounts.carbohydrates), fat = \(amounts.fat), fiber = \(amounts.fiber), sugar = \(amounts.sugar),
                salt = \(amounts.salt), portions = \(draft.portionLines)
            WHERE id = \(old.id)
            """
        )
        return ingredient
    }

    /// Updates all entries of an ingredient to its current nutrients, and the totals of their days.
    fileprivate func correctEntries(of ingredient: Ingredient) throws {
        var tally = DiaryTally()
        let entries = try rows(FoodEntry.self, "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.ingredient = \(ingredient.id)")
        for entry in entries {
            let corrected = entry.with(nutrients: ingredient.nutrients(in: entry.grams))
            guard corrected != entry else { continue }
            try update(corrected)
            tally.remove(entry)
            tally.add(corrected)
        }
        try tally.apply(in: self)
    }
}
