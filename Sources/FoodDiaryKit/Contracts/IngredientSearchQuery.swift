/// Finds ingredients while the user types. Returns within 100 ms; values are served from memory for half an hour.
///
/// Searches names and aliases. Ignores case and accents, and tolerates typing errors. Exact matches come first, then the ingredients that
/// are used most. Ingredients that are used equally often are ordered by relevance.
public protocol IngredientSearchQuery: Sendable {
    /// The 20 best matches.
    func searchIngredients(query: String) async throws -> [Ingredient]

    /// The 20 best matches in one category.
    func searchIngredients(query: String, category: IngredientCategory) async throws -> [Ingredient]

    /// The best matches, at most 100.
    func searchIngredients(query: String, limit: Int) async throws -> [Ingredient]
}
