/// What a language model has to know of the diary's ingredients. Answers within 50 ms, from memory for half an hour; the same question has the same answer.
public protocol LLMContextQuery: Sendable {
    /// The ingredients that a text may be about, such as "two eggs and a slice of rye bread": at most 20, the best match of each part first.
    func fetchRelevantIngredients(for text: String) async throws -> [Ingredient]

    /// Ingredients by their keys, in the order of the keys; those that do not exist are left out.
    func fetchIngredientsByIds(_ ids: [Ingredient.ID]) async throws -> [Ingredient]

    /// What is used most, at most 20.
    func fetchPopularIngredients(limit: Int) async throws -> [Ingredient]
}
