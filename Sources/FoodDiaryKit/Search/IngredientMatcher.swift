/// Finds ingredients in a list, as `IngredientSearch` does in a database. Used for short lists, and to compare the two.
struct IngredientMatcher: Sendable {
    private let ingredients: [Ingredient.ID: Ingredient]
    private let source: ListSource
    var bounds = SearchBounds()

    init(_ ingredients: [Ingredient]) {
        self.ingredients = Dictionary(ingredients.map { ($0.id, $0) }) { $1 }
        source = ListSource(self.ingredients.values.map(ListSource.Element.init))
    }

    func search(_ typed: String, category: IngredientCategory?, limit: Int) -> [Ingredient] {
        found { finder in try finder.search(typed, category: category, limit: limit) }
    }

    func relevantIngredients(for text: String, limit: Int) -> [Ingredient] {
        found { finder in try finder.relevantIngredients(for: text, limit: limit) }
    }

    static func search(_ typed: String, category: IngredientCategory?, limit: Int, among ingredients: [Ingredient]) -> [Ingredient] {
        IngredientMatcher(ingredients).search(typed, category: category, limit: limit)
    }

    static func relevantIngredients(for text: String, limit: Int, among ingredients: [Ingredient]) -> [Ingredient] {
        IngredientMatcher(ingredients).relevantIngredients(for: text, limit: limit)
    }

    private func found(_ find: (IngredientFinder<ListSource>) throws -> [Ingredient.ID]) -> [Ingredient] {
        // Reading a list can't fail.
        ((try? find(IngredientFinder(source: source, bounds: bounds))) ?? []).compactMap { ingredients[$0] }
    }
}

/// A list as a source of candidates, which is scanned completely each time.
struct ListSource: SearchSource {
    struct Element: Sendable {
        let candidate: SearchCandidate
        let keys: [String]
        let words: [SearchWord]
        let indexed: Set<String>
        let rank: Int64

        init(_ ingredient: Ingredient) {
            candidate = SearchCandidate(ingredient)
            keys = IngredientIndex.keys(of: ingredient)
            words = ([ingredient.name] + ingredient.aliases).flatMap(SearchText.words)
            indexed = Set(words.flatMap(\.indexed))
            rank = IngredientIndex.rank(of: ingredient)
        }
    }

    /// Sorted by usage, most used first.
    private let elements: [Element]
    private let vocabulary: Vocabulary

    init(_ elements: [Element]) {
        self.elements = elements.sorted { $0.rank < $1.rank }
        var vocabulary = Vocabulary()
        let words = Set(elements.flatMap(\.words).compactMap(\.correctable))
        vocabulary.insert(words.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }.map { (0, $0) })
        self.vocabulary = vocabulary
    }

    func candidates(named key: String, limit: Int) -> [SearchCandidate] {
        elements.filter { $0.keys.contains(key) }.prefix(limit).map(\.candidate)
    }

    func candidates(beginning key: String, limit: Int) -> [SearchCandidate] {
        let found = elements.flatMap { element in
            element.keys.filter { key.isBeginning(of: $0) && $0 != key }.map { (key: $0, element: element) }
        }
        let sorted = found.sorted { left, right in
            left.key == right.key ? left.element.rank < right.element.rank : left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
        }
        return sorted.prefix(limit).map(\.element.candidate)
    }

    func candidates(with terms: [SearchTerm], category: IngredientCategory?, limit: Int) -> [SearchCandidate] {
        elements.lazy
            .filter { element in category == nil || element.candidate.category == category }
            .filter { element in terms.allSatisfy { has($0, element) } }
            .prefix(limit).map(\.candidate)
    }

    func contains(_ term: SearchTerm) -> Bool { elements.contains { has(term, $0) } }

    func corrections(of word: String, asPrefix: Bool) -> [Vocabulary.Correction] {
        vocabulary.corrections(of: word, asPrefix: asPrefix)
    }

    func corrections(soundingLike word: String) -> [Vocabulary.Correction] { vocabulary.corrections(soundingLike: word) }

    func parts(of word: String, asPrefix: Bool) -> [[String]] { vocabulary.parts(of: word, asPrefix: asPrefix) }

    private func has(_ term: SearchTerm, _ element: Element) -> Bool {
        term.forms.contains { form in
            if let grams = form.grams { return grams.allSatisfy(element.indexed.contains) }
            if element.indexed.contains(form.text) { return true }
            return form.isPrefix && element.indexed.contains { form.text.isBeginning(of: $0) }
        }
    }
}
