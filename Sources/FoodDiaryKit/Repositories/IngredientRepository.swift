/// Where ingredients are kept and found.
public protocol IngredientRepository: Sendable {
    /// The ingredients with these keys, in the order of the keys; those that do not exist are left out.
    func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient]

    /// The ingredients with the lowest keys above another one: for pages through all of them.
    func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient]

    /// What somebody may mean who has typed this, in names and aliases, whatever the case, accents and typing errors.
    ///
    /// A name or alias that is exactly what was typed comes first; then what is used most, of that the most relevant.
    func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient]

    /// What a sentence may be about, such as "two eggs and a slice of rye bread": the best match of each part first.
    func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient]

    /// What is used most.
    func popularIngredients(limit: Int) async throws -> [Ingredient]

    /// Adds an ingredient, or puts what the draft says in the place of one.
    ///
    /// Entries keep what they have, unless `correctingHistory` says that the ingredient was wrong all the time: then the nutrients of its entries are
    /// computed anew, and the totals of their days. Throws a ``FoodDiaryError`` if there is another one of that name.
    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient

    /// Takes an ingredient out; entries keep their name and nutrients. False if there was none.
    func delete(_ id: Ingredient.ID) async throws -> Bool

    /// Adds batch after batch until `next` answers `nil`; all or nothing. One of a known name takes the place of what is there, as far as the draft says
    /// something: see ``Ingredient/Draft/filled(from:)``.
    ///
    /// `next` is called on a thread that may wait, and what it throws undoes everything. Cancelling the task does too.
    func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport
}

/// What an import of ingredients came to.
public struct IngredientImport: Hashable, Sendable {
    /// How many are new.
    public var added = 0

    /// How many took the place of one of the same name.
    public var updated = 0

    /// Creates the outcome of an import.
    public init(added: Int = 0, updated: Int = 0) {
        self.added = added
        self.updated = updated
    }
}
