import FoodDiaryKit
import QueryKitSQLite

/// The changes of the index for an import. They are applied together in the order of the ranks, which is many times faster than applying
/// each one immediately.
struct IngredientIndexChanges {
    /// The ranks of the ingredients to add.
    private var ranks: [Ingredient.ID: Int64] = [:]
    /// The ingredients to remove.
    private var former: [Ingredient] = []

    /// Notes an ingredient that is new or replaces another one.
    mutating func note(_ ingredient: Ingredient, insteadOf old: Ingredient?) {
        if let old {
            if IngredientIndex.holdsAlike(old, ingredient) { return }
            // An ingredient from this import isn't in the index yet.
            if ranks[old.id] == nil { former.append(old) }
        }
        ranks[ingredient.id] = IngredientIndex.rank(of: ingredient)
    }

    func apply(in db: SQLiteWriteTransaction, checking check: () throws -> Void) throws {
        for (_, old) in former.map({ (IngredientIndex.rank(of: $0), $0) }).sorted(by: { $0.0 < $1.0 }) {
            try check()
            try IngredientIndex.remove(old, in: db)
        }
        try IngredientIndex.insert(Array(ranks.values), in: db, checking: check)
    }
}
