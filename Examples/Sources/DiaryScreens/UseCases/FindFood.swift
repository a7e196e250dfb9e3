package import FoodDiaryKit

/// Finds the one ingredient that a user means. If several are possible, it returns them instead of guessing.
package struct FindFood: Sendable {
    package enum Answer: Hashable, Sendable {
        /// The ingredient has exactly that name, or it is the only one with a similar name.
        case one(Ingredient)
        case several([Ingredient])
        case none
    }

    private let search: any IngredientSearchQuery

    package init(_ search: any IngredientSearchQuery) { self.search = search }

    package func find(_ name: String) async throws -> Answer {
        let found = try await search.searchIngredients(query: name, limit: 8)
        let key = Self.key(name)
        // An exact match of a name is preferred to exact matches of aliases.
        for names in [{ [$0.name] }, { $0.aliases }] as [(Ingredient) -> [String]] {
            let exact = found.filter { names($0).map(Self.key).contains(key) }
            if exact.count == 1 { return .one(exact[0]) }
        }
        switch found.count {
        case 0: return .none
        case 1: return .one(found[0])
        default: return .several(found)
        }
    }

    private static func key(_ name: String) -> String { name.split(separator: " ").joined(separator: " ").lowercased() }
}

/// A name that may mean several ingredients.
package struct AmbiguousFood: Error, Hashable, Sendable {
    package let name: String
    package let candidates: [Ingredient]
}
