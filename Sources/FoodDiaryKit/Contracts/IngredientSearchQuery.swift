/// Finds ingredients by what somebody types. Answers within 100 ms, from memory for half an hour.
///
/// Names and aliases count, whatever the case, accents and typing errors. What is exactly as typed comes first; then what is used most, of that the most
/// relevant.
public protocol IngredientSearchQuery: Sendable {
    /// The 20 best matches.
    func searchIngredients(query: String) async throws -> [Ingredient]

    /// The 20 best matches of one kind.
    func searchIngredients(query: String, category: IngredientCategory) async throws -> [Ingredient]

    /// The best matches, at most 100.
    func searchIngredients(query: String, limit: Int) async throws -> [Ingredient]
}
