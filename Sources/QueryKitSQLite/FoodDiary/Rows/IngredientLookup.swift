import FoodDiaryKit
import QueryKitSQLite

/// Looks up the ingredients of drafts, each only once: an import names the same few hundred ingredients thousands of times.
struct IngredientLookup {
    private var known: [FoodEntry.Draft.Food: Ingredient.ID?] = [:]

    mutating func id(of food: FoodEntry.Draft.Food, in db: SQLiteReadTransaction) throws -> Ingredient.ID? {
        if let known = known[food] { return known }
        let id: Ingredient.ID?
        switch food {
        case .unlisted: return nil
        case .ingredient(let wanted):
            id = try db.value(Ingredient.ID.self, "SELECT id FROM ingredients WHERE id = \(wanted)")
            if id == nil { throw FoodDiaryError.noIngredient(wanted) }
        case .named(let name):
            id = try db.value(
                Ingredient.ID.self,
                "SELECT id FROM ingredients WHERE name_key = \(Ingredient.key(of: FoodBounds.tidied(name)))"
            )
        }
        known[food] = id
        return id
    }
}
