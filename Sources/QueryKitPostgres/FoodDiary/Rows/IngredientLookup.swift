#if Postgres
import FoodDiaryKit
import QueryKitPostgres

/// Looks up the ingredients of drafts, many with one statement, and each only once: an import names the same few hundred ingredients
/// thousands of times.
///
/// The ingredients that are found can't be deleted before the transaction ends.
struct IngredientLookup {
    private var known: Set<FoodEntry.Draft.Food> = []
    private var ids: Set<Ingredient.ID> = []
    private var names: [String: Ingredient.ID] = [:]

    /// The statement that looks up these foods, in columns for ``note(_:_:)``; `nil` if all are known.
    mutating func statement(for foods: some Sequence<FoodEntry.Draft.Food>) -> SQL? {
        var (wanted, keys) = (Set<Int64>(), Set<String>())
        for food in foods where known.insert(food).inserted {
            switch food {
            case .unlisted: break
            case .ingredient(let id): wanted.insert(id.rawValue)
            case .named(let name): keys.insert(Self.key(of: name))
            }
        }
        if wanted.isEmpty, keys.isEmpty { return nil }
        return """
            SELECT id, name_key FROM ingredients
            WHERE id = ANY(\(ColumnValues(wanted).array("bigint[]"))) OR name_key = ANY(\(ColumnValues(keys).array("text[]")))
            ORDER BY id FOR KEY SHARE
            """
    }

    mutating func note(_ id: Int64, _ key: String) {
        ids.insert(Ingredient.ID(rawValue: id))
        names[key] = Ingredient.ID(rawValue: id)
    }

    mutating func load(_ foods: some Sequence<FoodEntry.Draft.Food>, in db: PostgresWriteTransaction) async throws {
        guard let statement = statement(for: foods) else { return }
        for (id, key) in try await db.map(statement, { (try $0[0] as Int64, try $0[1] as String) }) { note(id, key) }
    }

    /// The ingredient of a food that was looked up. Throws if the food names one by its key that doesn't exist.
    func id(of food: FoodEntry.Draft.Food) throws -> Ingredient.ID? {
        switch food {
        case .unlisted: return nil
        case .ingredient(let wanted):
            guard ids.contains(wanted) else { throw FoodDiaryError.noIngredient(wanted) }
            return wanted
        case .named(let name): return names[Self.key(of: name)]
        }
    }

    private static func key(of name: String) -> String {
        // PostgreSQL can't store a NUL in a text, and no tidied name has one.
        Ingredient.key(of: FoodBounds.tidied(name))
    }
}
#endif
