public import QueryKit

/// Adds an ingredient, or changes one.
public struct SaveIngredient: MutationRequest {
    /// What is to be saved.
    public struct Arguments: Hashable, Codable, Sendable {
        /// What the ingredient is to be.
        public var draft: Ingredient.Draft

        /// Which one is changed; `nil` for a new one.
        public var id: Ingredient.ID?

        /// Whether entries that were logged before get the new nutrients, because the ingredient was wrong all the time.
        public var correctsHistory: Bool

        /// Creates the arguments of a call. Entries keep what they have, unless that is said.
        public init(_ draft: Ingredient.Draft, as id: Ingredient.ID? = nil, correctingHistory: Bool = false) {
            self.draft = draft
            self.id = id
            correctsHistory = correctingHistory
        }
    }

    public typealias Value = Ingredient

    /// Creates the request.
    public init() {}

    public var path: QueryPath { "diary/save" }

    /// One after the other: two changes of one ingredient end with the later one.
    public var scope: String? { DiaryChange.scope }

    public func mutate(
        with arguments: Arguments,
        in context: QueryContext,
        with continuation: QueryContinuation<Ingredient>
    ) async throws -> Ingredient {
        try await context.diary(for: path).ingredients.save(
            arguments.draft,
            as: arguments.id,
            correctingHistory: arguments.correctsHistory
        )
    }

    public func optimistic(with arguments: Arguments, in layers: inout QueryLayers) throws {
        guard let id = arguments.id else { return }
        let draft = try arguments.draft.validated()
        let change: @Sendable (inout [Ingredient]) -> Void = { ingredients in
            ingredients = ingredients.map { $0.id == id ? Ingredient(id: id, draft, usageCount: $0.usageCount) : $0 }
        }
        layers.update(IngredientsByID(ids: [id]), change)
        layers.update(PopularIngredients(limit: 20), change)
    }
}
