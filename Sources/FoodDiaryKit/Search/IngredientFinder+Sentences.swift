extension IngredientFinder {
    /// The ingredients that a sentence may be about: the best match of each part in the order of the sentence, then the second-best ones,
    /// and so on.
    package func relevantIngredients(for text: String, limit: Int) throws -> [Ingredient.ID] {
        let limit = min(limit, Self.maxRelevant)
        guard limit > 0 else { return [] }
        var parts: [[Ingredient.ID]] = []
        for group in FoodText(text).groups {
            if group.count == 1, group[0].isUnspaced {
                parts += try self.parts(ofRun: group[0])
            } else {
                parts += try self.parts(of: group)
            }
        }
        var ids: [Ingredient.ID] = []
        var seen: Set<Ingredient.ID> = []
        for place in 0..<(parts.map(\.count).max() ?? 0) {
            for part in parts where place < part.count && seen.insert(part[place]).inserted { ids.append(part[place]) }
            if ids.count >= limit { break }
        }
        return Array(ids.prefix(limit))
    }

    /// A low limit, because a model reads all of these ingredients.
    static var maxRelevant: Int { 20 }

    /// The maximum number of words of a part, and of candidates for it.
    private static var maxWords: Int { 4 }
    private static var maxCandidates: Int { 24 }
    /// The maximum length of a name in a script without spaces.
    private static var maxRun: Int { 8 }

    /// Splits words into names from left to right, preferring the longest name: rye bread is not rye.
    private func parts(of words: [SearchWord]) throws -> [[Ingredient.ID]] {
        let terms = try words.map(term(inSentence:))
        var parts: [[Ingredient.ID]] = []
        var start = 0
        while start < words.count {
            var length = min(Self.maxWords, words.count - start)
            // A word without any match is not part of a name.
            length = terms[start..<start + length].firstIndex { $0 == nil }.map { $0 - start } ?? length
            while length > 0 {
                let part = try part(words[start..<start + length], terms[start..<start + length].compactMap(\.self))
                if !part.isEmpty {
                    parts.append(part)
                    break
                }
                length -= 1
            }
            start += max(1, length)
        }
        return parts
    }

    private func part(_ words: ArraySlice<SearchWord>, _ terms: [SearchTerm]) throws -> [Ingredient.ID] {
        let typed = TypedText(words.map(\.plain).joined(separator: " "))
        var candidates: [SearchCandidate] = []
        if terms.count == 1 {
            for form in terms[0].forms { candidates += try source.candidates(named: form.text, limit: Self.maxCandidates) }
        } else {
            candidates = try source.candidates(named: typed.key, limit: Self.maxCandidates)
        }
        candidates += try source.candidates(with: terms, category: nil, limit: Self.maxCandidates)
        let ranks = Self.ranked(candidates, typed, terms).filter { terms.count == 1 || $0.isOfOneName }
        return ranks.prefix(Self.maxRelevant).map(\.id)
    }

    private static func ranked(_ candidates: [SearchCandidate], _ typed: TypedText, _ terms: [SearchTerm]) -> [SearchRank] {
        var seen: Set<Ingredient.ID> = []
        return candidates.filter { seen.insert($0.id).inserted }.map { SearchRank($0, typed, terms) }.sorted()
    }

    /// A word with its other forms, or its corrections; `nil` if no ingredient has any of them.
    private func term(inSentence word: SearchWord) throws -> SearchTerm? {
        let forms = WordForms.others(of: word.folded).map { SearchTerm.Form(text: $0, cost: 1) }
        let term = SearchTerm([SearchTerm.Form(text: word.folded)] + forms)
        if try source.contains(term) { return term }
        // Most unknown words of a sentence are not food, so only longer words are corrected, and with few errors.
        let length = word.folded.utf16.count
        guard length >= Vocabulary.minPrefixLength else { return nil }
        let corrections = try source.corrections(of: word.folded, asPrefix: false)
        for errors in 1...(length > 6 ? 2 : 1) {
            let forms = corrections.prefix { $0.errors <= errors }.prefix(bounds.corrections)
                .map { SearchTerm.Form(text: $0.word, cost: 2 * $0.errors) }
            if forms.isEmpty { continue }
            let term = SearchTerm(forms)
            if try source.contains(term) { return term }
        }
        return nil
    }

    // MARK: Scripts without spaces

    /// Splits a run into the longest names it contains. If there is none at a place, finds names that contain the next pair of letters.
    private func parts(ofRun word: SearchWord) throws -> [[Ingredient.ID]] {
        let letters = word.plain.unicodeScalars.map { String($0) }
        var parts: [[Ingredient.ID]] = []
        var start = 0
        while start < letters.count {
            var length = min(Self.maxRun, letters.count - start)
            while length > 0 {
                let name = letters[start..<start + length].joined()
                let part = SearchWord(name, isUnspaced: true)
                let terms = [SearchTerm(part, isPrefix: false)]
                let named = try source.candidates(named: part.folded, limit: Self.maxCandidates)
                var ranks = Self.ranked(named, TypedText(name), terms)
                if ranks.isEmpty, length == 2, !name.unicodeScalars.contains(where: FoodStopWords.contains(letter:)) {
                    ranks = Self.ranked(
                        try source.candidates(with: terms, category: nil, limit: Self.maxCandidates),
                        TypedText(name),
                        terms
                    )
                }
                if !ranks.isEmpty {
                    parts.append(ranks.prefix(Self.maxRelevant).map(\.id))
                    break
                }
                length -= 1
            }
            start += max(1, length)
        }
        return parts
    }
}
