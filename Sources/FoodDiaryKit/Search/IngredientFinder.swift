/// Finds ingredients by typed text, in stages: a later stage runs only if the earlier ones have found too little.
///
/// The stages are the same for a database and for a list, so both find the same ingredients in the same order.
package struct IngredientFinder<Source: SearchSource> {
    let source: Source
    var bounds = SearchBounds()

    package init(source: Source, bounds: SearchBounds) { (self.source, self.bounds) = (source, bounds) }

    /// The ingredients that the text may mean, likeliest first.
    package func search(_ typed: String, category: IngredientCategory?, limit: Int) throws -> [Ingredient.ID] {
        let typed = TypedText(typed)
        var found = Found(limit: min(limit, bounds.results))
        guard found.isShort, !typed.key.isEmpty else { return [] }
        try found.append(asTyped(typed, category, found.limit), typed, Self.terms(typed))
        guard found.isShort, !typed.words.isEmpty else { return found.ids }
        // If the text matches in another category, it is spelled correctly and must not be corrected.
        if found.ids.isEmpty, category != nil, try !source.candidates(with: Self.terms(typed), category: nil, limit: 1).isEmpty {
            return []
        }
        try respace(typed, category, &found)
        let isFoundAsTyped = !found.ids.isEmpty
        if !isFoundAsTyped { try takeAsBeginnings(typed.withoutStopWords ?? typed, category, &found) }
        if found.ids.isEmpty { try replaceSoundingTheSame(typed.withoutStopWords ?? typed, category, &found) }
        // First corrects only words that no ingredient has. If that finds nothing at all, a known word may be wrong, too.
        let errors = try correct(typed, category, &found, onlyUnknown: true)
        guard !isFoundAsTyped, found.isShort else { return found.ids }
        if errors == nil { try correct(typed, category, &found, onlyUnknown: false) }
        try loosen(typed, category, &found, isNear: errors == 1)
        return found.ids
    }

    // MARK: Words as typed

    /// The words as typed. The last one may be incomplete.
    private static func terms(_ typed: TypedText, withAccents: Bool = false) -> [SearchTerm] {
        typed.words.enumerated().map { index, word in
            let isLast = index == typed.words.count - 1
            let term = SearchTerm(word, isPrefix: isLast, withAccents: withAccents)
            if word.isUnspaced || withAccents { return term }
            return SearchTerm(term.forms + WordForms.singulars(of: word.folded).map { SearchTerm.Form(text: $0, cost: 1) })
        }
    }

    private func asTyped(_ typed: TypedText, _ category: IngredientCategory?, _ limit: Int) throws -> [SearchCandidate] {
        var candidates = try source.candidates(named: typed.key, limit: bounds.candidates)
        var isCut = typed.words.isEmpty
        if !typed.words.isEmpty {
            if typed.hasAccents {
                let found = try mostUsed(with: Self.terms(typed, withAccents: true), category, limit)
                candidates += found.candidates
            }
            let terms = Self.terms(typed)
            let found = try mostUsed(with: terms, category, limit)
            candidates += found.candidates
            isCut = found.isCut
            // If many names contain a word, the ingredient with exactly that name must be among the results: mushrooms means mushroom
            // before any pizza.
            if found.candidates.count >= limit, terms.contains(where: { $0.forms.count > 1 }) {
                for key in combinations(of: terms) where key != typed.key {
                    candidates += try source.candidates(named: key, limit: bounds.beginnings)
                }
            }
        }
        // If many ingredients were never used, prefers those whose names begin with the typed text to the oldest ones.
        if isCut { candidates += try source.candidates(beginning: typed.key, limit: bounds.beginnings) }
        return candidates.filter { category == nil || $0.category == category }
    }

    /// The candidates that have all terms and are used often enough to be among the results, and whether there may be more such candidates.
    func mostUsed(
        with terms: [SearchTerm],
        _ category: IngredientCategory?,
        _ limit: Int
    ) throws -> (candidates: [SearchCandidate], isCut: Bool) {
        var candidates = try source.candidates(with: terms, category: category, limit: bounds.candidates)
        guard candidates.count > limit else { return (candidates, candidates.count >= bounds.candidates) }
        if candidates.count >= bounds.candidates, let last = candidates.last, IngredientIndex.isInexact(last.usageCount),
            IngredientIndex.usageStep(last.usageCount) == IngredientIndex.usageStep(candidates[limit - 1].usageCount)
        {
            candidates = try source.candidates(with: terms, category: category, limit: bounds.usedAlike)
        }
        let least = IngredientIndex.usageStep(candidates[limit - 1].usageCount)
        let used = candidates.prefix { IngredientIndex.usageStep($0.usageCount) >= least }
        return (Array(used), candidates.count >= bounds.candidates && used.count == candidates.count)
    }

    // MARK: Corrected words

    /// Searches with one error per word, then with two. Returns the number of errors with which something was found.
    ///
    /// - Parameter nearest: Whether to correct only one error: in a whole word, or in an incomplete one after its first letter, which
    ///   people rarely mistype.
    @discardableResult
    func correct(
        _ typed: TypedText,
        _ category: IngredientCategory?,
        _ found: inout Found,
        onlyUnknown: Bool,
        nearest: Bool = false
    ) throws -> Int? {
        var words: [(word: SearchWord, isKnown: Bool, corrections: [Vocabulary.Correction])] = []
        for (index, word) in typed.words.enumerated() {
            let isLast = index == typed.words.count - 1
            let isKnown = try onlyUnknown && source.contains(SearchTerm(word, isPrefix: false))
            var corrections = isKnown || word.isUnspaced ? [] : try source.corrections(of: word.folded, asPrefix: isLast)
            if nearest { corrections.removeAll { $0.whole != 1 && $0.word.utf16.first != word.folded.utf16.first } }
            words.append((word, isKnown, corrections))
        }
        for errors in 1...(nearest ? 1 : 2) {
            var isNew = errors == 1 && words.contains { !$0.isKnown && ($0.word.isUnspaced || $0.word.isShort) }
            var terms: [SearchTerm] = []
            for (index, (word, isKnown, corrections)) in words.enumerated() {
                let isLast = index == words.count - 1
                // A word too short for corrections may be incomplete.
                var forms = SearchTerm(word, isPrefix: isLast || !isKnown && word.isShort).forms
                if word.isUnspaced, !isKnown {
                    // The letters in any order and at any distance within a name.
                    forms.append(SearchTerm.Form(text: word.folded, cost: 1, grams: word.letters))
                } else {
                    isNew = isNew || corrections.contains { $0.errors == errors }
                    forms += corrections.prefix { $0.errors <= errors }.prefix(bounds.corrections).map { correction in
                        SearchTerm.Form(
                            text: correction.word,
                            cost: 2 * correction.errors + (correction.whole == correction.errors ? 0 : 1)
                        )
                    }
                }
                terms.append(SearchTerm(forms))
            }
            guard isNew else { continue }
            let before = found.ids.count
            var candidates: [SearchCandidate] = []
            for key in combinations(of: terms) { candidates += try source.candidates(named: key, limit: bounds.beginnings) }
            candidates = candidates.filter { category == nil || $0.category == category }
            candidates += try mostUsed(with: terms, category, found.limit).candidates
            found.append(candidates, typed, terms)
            if found.ids.count > before { return errors }
        }
        return nil
    }

    /// The whole names that the terms may mean, nearest first.
    func combinations(of terms: [SearchTerm]) -> [String] {
        var combinations = [(key: "", cost: 0)]
        for term in terms {
            let longer = combinations.flatMap { head in
                term.forms.map { form in (key: head.key.isEmpty ? form.text : head.key + " " + form.text, cost: head.cost + form.cost) }
            }
            // If costs are equal, keeps the order.
            let order = longer.indices.sorted { (longer[$0].cost, $0) < (longer[$1].cost, $1) }
            combinations = order.prefix(bounds.combinations).map { longer[$0] }
        }
        return combinations.map(\.key)
    }

    /// The results so far. Each stage appends its results after those of earlier stages.
    struct Found {
        let limit: Int
        private(set) var ids: [Ingredient.ID] = []
        private var seen: Set<Ingredient.ID> = []

        init(limit: Int) { self.limit = limit }

        var isShort: Bool { ids.count < limit }

        mutating func append(_ candidates: [SearchCandidate], _ typed: TypedText, _ terms: [SearchTerm]) {
            var ranks: [SearchRank] = []
            for candidate in candidates where seen.insert(candidate.id).inserted {
                ranks.append(SearchRank(candidate, typed, terms))
            }
            ids += ranks.sorted().prefix(max(0, limit - ids.count)).map(\.id)
        }

        /// Appends the matches of several readings of the same text, best first.
        mutating func append(_ ranks: [SearchRank]) {
            for rank in ranks.sorted() where isShort && seen.insert(rank.id).inserted { ids.append(rank.id) }
        }
    }
}
