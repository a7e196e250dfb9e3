/// An ingredient that may match a search, with the texts to compare with the typed text.
package struct SearchCandidate: Sendable {
    let id: Ingredient.ID
    let usageCount: Int
    let category: IngredientCategory
    let name: String
    /// One alias per line, as stored.
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

/// A source of candidates: a database or a list.
package protocol SearchSource {
    /// Candidates with a name or alias equal to the key, most used first.
    func candidates(named key: String, limit: Int) throws -> [SearchCandidate]

    /// Candidates with a name or alias that begins with the key, shortest such name first.
    func candidates(beginning key: String, limit: Int) throws -> [SearchCandidate]

    /// Candidates with all terms, most used first.
    func candidates(with terms: [SearchTerm], category: IngredientCategory?, limit: Int) throws -> [SearchCandidate]

    /// Whether any ingredient has the term.
    func contains(_ term: SearchTerm) throws -> Bool

    /// The words that a misspelled word may mean, nearest first.
    func corrections(of word: String, asPrefix: Bool) throws -> [Vocabulary.Correction]

    /// Words that sound like another word, nearest first.
    func corrections(soundingLike word: String) throws -> [Vocabulary.Correction]

    /// The ways to split a word into several known words.
    func parts(of word: String, asPrefix: Bool) throws -> [[String]]
}

/// Limits on how much is compared.
package struct SearchBounds: Sendable {
    package static let standard = SearchBounds()

    /// Candidates that have all words.
    var candidates = 100
    /// The same, if the index doesn't order them exactly by usage.
    var usedAlike = 2_000
    /// Candidates with a name that begins with the typed text.
    var beginnings = 40
    /// Corrections of one word.
    var corrections = 128
    /// Combinations of corrected words to whole names.
    var combinations = 24
    /// Results.
    var results = 200
}
