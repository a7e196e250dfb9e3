extension IngredientFinder {
    /// Another reading of the typed text.
    struct Reading {
        let typed: TypedText
        let terms: [SearchTerm]
        /// A word that was typed without spaces; the name must contain it across its spaces.
        var joined: String?

        init(_ words: [SearchWord], joined: String? = nil) {
            typed = TypedText(words)
            self.joined = joined
            terms = words.enumerated().map { index, word in
                let term = SearchTerm(word, isPrefix: index == words.count - 1)
                if word.isUnspaced { return term }
                return SearchTerm(term.forms + WordForms.others(of: word.folded).map { SearchTerm.Form(text: $0, cost: 1) })
            }
        }

        init(_ typed: TypedText, _ terms: [SearchTerm]) { (self.typed, self.terms) = (typed, terms) }
    }

    /// Searches with spaces in other places, without stop words, and with singular and plural exchanged. Each of these counts as one error.
    ///
    /// If the text as typed has found something, that is most likely what was meant. In that case, this method only looks up whole names:
    /// for "icecream", it adds ice cream to a result such as icecream bars.
    func respace(_ typed: TypedText, _ category: IngredientCategory?, _ found: inout Found) throws {
        if !found.ids.isEmpty {
            guard typed.words.count <= 2 else { return }
            let readings = try typed.words.count == 1 ? split(typed.words) : joined(typed.words)
            return found.append(try ranks(of: readings, category, found.limit, onlyNamed: true))
        }
        var readings = [Reading(typed.words)]
        if let content = typed.withoutStopWords { readings.append(Reading(content.words)) }
        readings += joined(typed.words)
        readings += try split(typed.words)
        found.append(try ranks(of: readings, category, found.limit))
    }

    /// Searches for words that begin with the typed ones: mac cheese finds macaroni cheese.
    func takeAsBeginnings(_ typed: TypedText, _ category: IngredientCategory?, _ found: inout Found) throws {
        guard typed.words.count > 1, !typed.words.contains(where: \.isShort) else { return }
        let reading = Reading(typed, typed.words.map { SearchTerm($0, isPrefix: true) })
        found.append(try ranks(of: [reading], category, found.limit))
    }

    /// The ranked matches of the readings.
    func ranks(
        of readings: [Reading],
        _ category: IngredientCategory?,
        _ limit: Int,
        onlyNamed: Bool = false
    ) throws -> [SearchRank] {
        var ranks: [SearchRank] = []
        for reading in readings {
            var candidates = try source.candidates(named: reading.typed.key, limit: bounds.beginnings)
            candidates = candidates.filter { category == nil || $0.category == category }
            if !onlyNamed { candidates += try mostUsed(with: reading.terms, category, limit).candidates }
            var seen: Set<Ingredient.ID> = []
            for candidate in candidates where seen.insert(candidate.id).inserted {
                if let joined = reading.joined, !candidate.hasWithSpaces(joined) { continue }
                ranks.append(SearchRank(candidate, reading.typed, reading.terms))
            }
        }
        return ranks
    }

    /// Each pair of neighboring words joined to one word: chick peas.
    func joined(_ words: [SearchWord]) -> [Reading] {
        words.indices.dropLast().compactMap { index in
            let (left, right) = (words[index], words[index + 1])
            guard !left.isUnspaced, !right.isUnspaced else { return nil }
            let joined = SearchWord(left.plain + right.plain)
            guard Vocabulary.holds(joined.folded) else { return nil }
            return Reading(words[..<index] + [joined] + words[(index + 2)...])
        }
    }

    /// Each word split into several: icecream.
    private func split(_ words: [SearchWord]) throws -> [Reading] {
        var readings: [Reading] = []
        for (index, word) in words.enumerated() where !word.isUnspaced {
            let isLast = index == words.count - 1
            for form in [word.folded] + WordForms.singulars(of: word.folded) {
                for parts in try source.parts(of: form, asPrefix: isLast && form == word.folded) {
                    readings.append(Reading(words[..<index] + parts.map { SearchWord($0) } + words[(index + 1)...], joined: form))
                }
            }
        }
        return readings
    }
}

extension SearchCandidate {
    /// Whether a name contains the letters of a word consecutively, ignoring spaces.
    fileprivate func hasWithSpaces(_ word: String) -> Bool {
        names.contains { $0.words.lazy.map(\.folded).joined().utf8.contains(word.utf8) }
    }
}

extension TypedText {
    /// The text without stop words; `nil` if it has none, or consists only of them.
    var withoutStopWords: TypedText? {
        var content: [SearchWord] = []
        for word in words {
            if word.isUnspaced {
                let parts = word.plain.unicodeScalars.split(whereSeparator: FoodStopWords.joins)
                if parts.count == 1, parts[0].count == word.plain.unicodeScalars.count {
                    content.append(word)
                } else {
                    content += parts.map { SearchWord(String(String.UnicodeScalarView($0)), isUnspaced: true) }
                }
            } else if !FoodStopWords.contains(word.folded) {
                content.append(word)
            }
        }
        return content.isEmpty || content == words ? nil : TypedText(content)
    }
}
