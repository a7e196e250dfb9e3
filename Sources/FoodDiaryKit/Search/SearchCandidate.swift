/// An ingredient that may be what is looked for, with what of it is compared.
package struct SearchCandidate: Sendable {
    let id: Ingredient.ID
    let usageCount: Int
    let category: IngredientCategory
    let name: String
    /// One a line, as they are stored.
    let aliases: String
    /// The cache for the words of its names.
    private let nameWords: NameWords?

    package init(
        id: Ingredient.ID,
        usageCount: Int,
        category: IngredientCategory,
        name: String,
        aliases: String,
        nameWords: NameWords? = nil
    ) {
        (self.id, self.usageCount, self.category, self.name, self.aliases) = (id, usageCount, category, name, aliases)
        self.nameWords = nameWords
    }

    /// The name itself, then the aliases.
    var names: [SearchName] { nameWords?.names(of: id, name, aliases: aliases) ?? SearchName.all(name, aliases: aliases) }
}

extension SearchCandidate {
    init(_ ingredient: Ingredient) {
        self.init(
            id: ingredient.id,
            usageCount: ingredient.usageCount,
            category: ingredient.category,
            name: ingredient.name,
            aliases: ingredient.draft.aliasLines
        )
    }
}

/// Where candidates come from: a database, or a list.
package protocol SearchSource {
    /// Those of which a name or alias has the key, the most used first.
    func candidates(named key: String, limit: Int) throws -> [SearchCandidate]

    /// Those of which a name or alias begins with the key, the shortest such name first.
    func candidates(beginning key: String, limit: Int) throws -> [SearchCandidate]

    /// Those that have all terms, the most used first.
    func candidates(with terms: [SearchTerm], category: IngredientCategory?, limit: Int) throws -> [SearchCandidate]

    /// Whether any has the term.
    func contains(_ term: SearchTerm) throws -> Bool

    /// What may be meant by a word, the nearest first.
    func corrections(of word: String, asPrefix: Bool) throws -> [Vocabulary.Correction]

    /// Words that sound like another, the nearest first.
    func corrections(soundingLike word: String) throws -> [Vocabulary.Correction]

    /// The ways to write a word as several that are known.
    func parts(of word: String, asPrefix: Bool) throws -> [[String]]
}

/// How many candidates are looked at.
package struct SearchBounds: Sendable {
    package static let standard = SearchBounds()

    /// Of those that have all words.
    var candidates = 100
    /// Of those too, where the index does not say which of them are used most.
    var usedAlike = 2_000
    /// Of those of which a name begins with what was typed.
    var beginnings = 40
    /// Words that may be meant by one.
    var corrections = 128
    /// Whole names that may be meant.
    var combinations = 24
    /// Results at most.
    var results = 200
}
