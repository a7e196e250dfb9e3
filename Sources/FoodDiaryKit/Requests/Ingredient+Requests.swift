public import QueryKit

extension Ingredient {
    /// The state of a request for a list of ingredients.
    public typealias List = QueryState<[Ingredient]?, [Ingredient]>

    /// The ingredients that a typed text may mean: the best matches first, at most 100.
    public static func search(
        _ typed: String,
        category: IngredientCategory? = nil,
        limit: Int = 20
    ) -> some QueryRequest<[Ingredient], List> {
        IngredientMatches(typed: typed, category: category, limit: limit)
    }

    /// The ingredients that a text may be about, such as "two eggs and a slice of rye bread": at most 20, the best match of each part
    /// first.
    public static func relevant(for text: String) -> some QueryRequest<[Ingredient], List> { RelevantIngredients(text: text) }

    /// Ingredients by their keys, in the order of the keys. Keys without an ingredient are left out.
    public static func ingredients(_ ids: [Ingredient.ID]) -> some QueryRequest<[Ingredient], List> { IngredientsByID(ids: ids) }

    /// The ingredients that are used most, at most 20.
    public static func popular(limit: Int = 20) -> some QueryRequest<[Ingredient], List> { PopularIngredients(limit: limit) }
}

struct IngredientMatches: DiaryRequest {
    typealias Value = [Ingredient]

    let typed: String
    let category: IngredientCategory?
    let limit: Int

    var place: QueryPath {
        QueryPath(["diary", "ingredients", "search"]).appending(typed).appending(category?.rawValue ?? "any").appending(limit)
    }
    var freshness: Duration { DiaryFreshness.search }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [Ingredient] {
        try await diary.ingredients.search(typed, category: category, limit: min(limit, 100))
    }
}

struct RelevantIngredients: DiaryRequest {
    typealias Value = [Ingredient]

    let text: String

    var place: QueryPath { QueryPath(["diary", "ingredients", "relevant"]).appending(text) }
    var freshness: Duration { DiaryFreshness.search }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [Ingredient] {
        try await diary.ingredients.relevantIngredients(for: text, limit: 20)
    }
}

struct IngredientsByID: DiaryRequest {
    typealias Value = [Ingredient]

    let ids: [Ingredient.ID]

    var place: QueryPath { QueryPath(["diary", "ingredients", "ids"]).appending(ids) }
    var freshness: Duration { DiaryFreshness.search }

    func validate(in context: QueryContext) throws {
        guard ids.count > 1_000 else { return }
        throw QueryError(.invalidParameters, "\(ids.count) ingredients are too many for one request: request at most 1,000.", path: path)
    }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [Ingredient] {
        try await diary.ingredients.ingredients(ids)
    }
}

struct PopularIngredients: DiaryRequest {
    typealias Value = [Ingredient]

    let limit: Int

    var place: QueryPath { QueryPath(["diary", "ingredients", "popular"]).appending(limit) }
    var freshness: Duration { DiaryFreshness.search }

    func read(_ diary: FoodDiaryRepositories, in context: QueryContext) async throws -> [Ingredient] {
        try await diary.ingredients.popularIngredients(limit: min(limit, 20))
    }
}
