extension IngredientFinder {
    /// Widens the search if the text as typed finds nothing. First searches for words with one wrong letter and a space too many, then for
    /// words that sound alike, which are ranked last. Finally leaves out words, unless correcting one letter has found something.
    func loosen(_ typed: TypedText, _ category: IngredientCategory?, _ found: inout Found, isNear: Bool) throws {
        let content = typed.withoutStopWords ?? typed
        if found.ids.isEmpty, content.words != typed.words {
            try correct(content, category, &found, onlyUnknown: true)
            if found.ids.isEmpty { try correct(content, category, &found, onlyUnknown: false) }
        }
        if found.ids.isEmpty { found.append(try ranks(of: joinedAndCorrected(content.words), category, found.limit)) }
        // With several words, a match after one correction is certain enough.
        if found.isShort, !isNear || content.words.count == 1, let reading = try soundingAlike(content) {
            found.append(try ranks(of: [reading], category, found.limit))
        }
        if found.isShort, !isNear, content.words.count > 1 { try drop(content.words, category, &found) }
    }

    /// Each pair of neighboring words joined to one word, with one wrong letter.
    private func joinedAndCorrected(_ words: [SearchWord]) throws -> [Reading] {
        try joined(words).enumerated().compactMap { index, reading in
            let corrections = try source.corrections(of: reading.typed.words[index].folded, asPrefix: false).prefix { $0.errors == 1 }
            if corrections.isEmpty { return nil }
            var terms = reading.terms
            terms[index] = SearchTerm(corrections.prefix(bounds.corrections).map { SearchTerm.Form(text: $0.word, cost: 2) })
            return Reading(reading.typed, terms)
        }
    }

    /// Searches for words that sound the same as unknown ones, if no word with one wrong letter is nearer. Call it before all corrections:
    /// curie should find curry before the German püriert, whose beginning differs from curie only in the first letter.
    func replaceSoundingTheSame(_ typed: TypedText, _ category: IngredientCategory?, _ found: inout Found) throws {
        guard let reading = try soundingAlike(typed, onlyUnknownAndSame: true) else { return }
        var nearest = found
        if try correct(typed, category, &nearest, onlyUnknown: true, nearest: true) != nil { return }
        found.append(try ranks(of: [reading], category, found.limit))
    }

    /// The words together with words that sound like them; `nil` if there are none.
    ///
    /// - Parameter onlyUnknownAndSame: Whether only words that no ingredient has are replaced, and only by words with the same vowels.
    private func soundingAlike(_ typed: TypedText, onlyUnknownAndSame: Bool = false) throws -> Reading? {
        var isAny = false
        let terms = try zip(typed.words, Reading(typed.words).terms).map { word, term in
            // Words that sound alike are searched for in the whole vocabulary, so known words are excluded first.
            if try word.isUnspaced || onlyUnknownAndSame && source.contains(SearchTerm(word, isPrefix: false)) { return term }
            var alike = try source.corrections(soundingLike: word.folded)
            if onlyUnknownAndSame, !alike.isEmpty {
                let key = SoundKey.of(word.folded, withVowels: true)
                alike = alike.filter { SoundKey.of($0.word, withVowels: true) == key }
            }
            alike = Array(alike.prefix(bounds.corrections))
            isAny = isAny || !alike.isEmpty
            return SearchTerm(term.forms + alike.map { SearchTerm.Form(text: $0.word, cost: 4 + 2 * $0.errors) })
        }
        return isAny ? Reading(typed, terms) : nil
    }

    // MARK: Omitting words

    /// Searches with fewer words: first without those that match no ingredient, then with one word left out, finally with each word alone.
    private func drop(_ words: [SearchWord], _ category: IngredientCategory?, _ found: inout Found) throws {
        var known: [(word: SearchWord, term: SearchTerm)] = []
        for (index, word) in words.enumerated() {
            if let term = try termToKeep(word, isLast: index == words.count - 1) { known.append((word, term)) }
        }
        if known.isEmpty { return }
        var kept = known.count < words.count ? [known] : []
        if known.count > 2 { kept += known.indices.map { index in known.enumerated().filter { $0.offset != index }.map(\.element) } }
        let alone = known.count > 1 ? known.map { [$0] } : []
        for readings in [kept, alone] where found.isShort {
            let ranks = try ranks(
                of: readings.map { Reading(TypedText($0.map(\.word)), $0.map(\.term)) },
                category,
                found.limit
            )
            found.append(ranks)
            if !ranks.isEmpty { return }
        }
    }

    /// A word with its other forms, or its corrections by one letter; `nil` if no ingredient has any of them.
    private func termToKeep(_ word: SearchWord, isLast: Bool) throws -> SearchTerm? {
        // A single letter may begin any word, so short words are matched only as whole words.
        let term = SearchTerm(word, isPrefix: isLast && !word.isShort)
        if word.isUnspaced { return try source.contains(term) ? term : nil }
        let whole = SearchTerm(term.forms + WordForms.others(of: word.folded).map { SearchTerm.Form(text: $0, cost: 1) })
        if try source.contains(whole) { return whole }
        guard word.folded.utf16.count >= Vocabulary.minPrefixLength else { return nil }
        let corrections = try source.corrections(of: word.folded, asPrefix: false).prefix { $0.errors == 1 }
        if corrections.isEmpty { return nil }
        return SearchTerm(corrections.prefix(bounds.corrections).map { SearchTerm.Form(text: $0.word, cost: 2) })
    }
}
