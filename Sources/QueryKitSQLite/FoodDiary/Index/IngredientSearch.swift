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
