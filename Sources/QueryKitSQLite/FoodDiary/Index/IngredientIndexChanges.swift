import FoodDiaryKit
import QueryKitSQLite

/// What an import changes of the index, to be done when all of it is known: in the order of its numbers, which is many times cheaper than as it comes.
struct IngredientIndexChanges {
    /// The numbers of those that are to be in it.
    private var ranks: [Ingredient.ID: Int64] = [:]
    /// Those that are in it, and are to be no more.
    private var former: [Ingredient] = []

    /// Notes an ingredient that is new, or in the place of one.
    mutating func note(_ ingredient: Ingredient, insteadOf old: Ingredient?) {
        if let old {
            if IngredientIndex.holdsAlike(old, ingredient) { return }
            // One that has come just now is not in the index.
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
