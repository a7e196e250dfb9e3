/// Stores and finds ingredients.
public protocol IngredientRepository: Sendable {
    /// The ingredients with these keys, in the order of the keys. Keys without an ingredient are left out.
    func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient]

    /// The ingredients with the lowest keys above another one. Use this for pages through all of them.
    func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient]

    /// The ingredients that a typed text may mean. Searches names and aliases, ignores case and accents, and tolerates typing errors.
    ///
    /// Exact matches of a name or alias come first, then the ingredients that are used most. Ingredients that are used equally often are
    /// ordered by relevance.
    func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient]

    /// The ingredients that a sentence may be about, such as "two eggs and a slice of rye bread": the best match of each part first.
    func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient]

    /// The ingredients that are used most.
    func popularIngredients(limit: Int) async throws -> [Ingredient]

    /// Adds an ingredient, or replaces the contents of an existing one.
    ///
    /// Existing entries keep their nutrients, unless you pass `correctingHistory` because the ingredient was wrong from the start: then the
    /// nutrients of its entries, and the totals of their days, are recomputed. Throws a ``FoodDiaryError`` if another ingredient has that
    /// name.
    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient

    /// Deletes an ingredient; entries keep their name and nutrients. Returns `false` if it didn't exist.
    func delete(_ id: Ingredient.ID) async throws -> Bool

    /// Adds batch after batch until `next` returns `nil`: all or nothing. If an ingredient with the name of a draft exists, the draft
    /// replaces all parts of it that the draft specifies: see ``Ingredient/Draft/filled(from:)``.
    ///
    /// `next` is called on a thread that may block. If it throws, or the task is cancelled, everything is undone.
    func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport
}

/// The outcome of an import of ingredients.
public struct IngredientImport: Hashable, Sendable {
    /// The number of new ingredients.
    public var added = 0

    /// The number of ingredients that replaced one of the same name.
    public var updated = 0

    /// Creates the outcome of an import.
    public init(added: Int = 0, updated: Int = 0) {
        self.added = added
        self.updated = updated
    }
}
