/// The ingredients to describe to a language model. Returns within 50 ms; values are served from memory for half an hour. Equal arguments
/// give equal results.
public protocol LLMContextQuery: Sendable {
    /// The ingredients that a text may be about, such as "two eggs and a slice of rye bread": at most 20, the best match of each part
    /// first.
    func fetchRelevantIngredients(for text: String) async throws -> [Ingredient]

    /// Ingredients by their keys, in the order of the keys. Keys without an ingredient are left out.
    func fetchIngredientsByIds(_ ids: [Ingredient.ID]) async throws -> [Ingredient]

    /// The ingredients that are used most, at most 20.
    func fetchPopularIngredients(limit: Int) async throws -> [Ingredient]
}
