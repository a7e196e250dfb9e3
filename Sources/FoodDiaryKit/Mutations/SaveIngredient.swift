public import QueryKit

/// Adds or changes an ingredient.
public struct SaveIngredient: MutationRequest {
    /// The ingredient to save.
    public struct Arguments: Hashable, Codable, Sendable {
        /// The new contents of the ingredient.
        public var draft: Ingredient.Draft

        /// The ingredient to change; `nil` for a new one.
        public var id: Ingredient.ID?

        /// Whether entries that were logged before get the new nutrients. Use this to correct an ingredient that was wrong from the start.
        public var correctsHistory: Bool

        /// Creates the arguments of a call. By default existing entries keep their nutrients.
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

    /// Calls run one after the other, so the later of two changes to an ingredient takes effect.
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
