/// A word that an ingredient must have, in one of several forms.
package struct SearchTerm: Hashable, Sendable {
    /// A form of the word.
    package struct Form: Hashable, Sendable {
        package let text: String
        /// Whether a word that begins with the text matches.
        package var isPrefix = false
        /// The distance from the typed word.
        var cost = 0
        /// In scripts without spaces, the entries of the index that must all be present.
        package var grams: [String]?
    }

    package let forms: [Form]

    init(_ forms: [Form]) { self.forms = forms }

    /// Creates the term of a typed word, which may be incomplete.
    init(_ word: SearchWord, isPrefix: Bool, withAccents: Bool = false) {
        if word.isUnspaced {
            forms = [Form(text: word.folded, isPrefix: isPrefix, grams: word.pairs)]
        } else {
            forms = [Form(text: withAccents ? word.plain : word.folded, isPrefix: isPrefix)]
        }
    }

    /// The best match with a word of a name; `nil` if it doesn't match. Lower is better.
    func match(_ word: SearchWord) -> Match? {
        var best: Match?
        for form in forms {
            let match: Match
            if let grams = form.grams {
                guard word.isUnspaced else { continue }
                if word.folded == form.text {
                    match = Match(cost: form.cost, isPart: false)
                } else if word.folded.utf8.contains(form.text.utf8) {
                    match = Match(cost: form.cost, isPart: true)
                } else if grams.allSatisfy({ word.folded.utf8.contains($0.utf8) }) {
                    match = Match(cost: form.cost + 1, isPart: true)
                } else {
                    continue
                }
            } else if word.plain == form.text {
                match = Match(cost: form.cost, isPart: false)
            } else if word.folded == form.text {
                match = Match(cost: form.cost, isFolded: true, isPart: false)
            } else if form.isPrefix, form.text.isBeginning(of: word.plain) {
                match = Match(cost: form.cost, isPart: true)
            } else if form.isPrefix, form.text.isBeginning(of: word.folded) {
                match = Match(cost: form.cost, isFolded: true, isPart: true)
            } else {
                continue
            }
            if best.map({ match < $0 }) ?? true { best = match }
        }
        return best
    }

    struct Match: Comparable {
        let cost: Int
        /// Whether the word has accents that were not typed.
        var isFolded = false
        /// Whether only a part of the word matches.
        let isPart: Bool

        private var number: Int { cost << 2 | (isPart ? 2 : 0) | (isFolded ? 1 : 0) }

        static func < (left: Match, right: Match) -> Bool { left.number < right.number }
    }
}

extension String {
    /// Whether another text begins with the bytes of this one.
    func isBeginning(of other: String) -> Bool {
        let count = utf8.count
        guard count <= other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { other in own.elementsEqual(other.prefix(count)) }
        }
        return (isSame ?? nil) ?? other.utf8.starts(with: utf8)
    }
}

extension String.UTF8View {
    func contains(_ part: String.UTF8View) -> Bool { firstRange(of: part) != nil }

    /// Tries each position, because texts are short.
    private func firstRange(of part: String.UTF8View) -> Index? {
        guard let first = part.first else { return startIndex }
        var place = startIndex
        while place < endIndex {
            if self[place] == first, self[place...].starts(with: part) { return place }
            formIndex(after: &place)
        }
        return nil
    }
}

/// Typed text, prepared for the search. Only the beginning of a long text counts.
struct TypedText: Sendable {
    let words: [SearchWord]
    /// The whole text in the form in which names are looked up.
    let key: String
    /// All words, without a limit.
    let plainWords: [SearchWord]
    let hasAccents: Bool

    static let maxLength = 400
    static let maxWords = 10
    /// The maximum length of a run without spaces.
    static let maxRun = 16

    init(_ typed: String) {
        var head = String.UnicodeScalarView()
        head.append(contentsOf: typed.unicodeScalars.prefix(Self.maxLength))
        // Accents may be separate characters that belong to the letter before them.
        let text = FoodBounds.tidied(String(head))
        plainWords = SearchText.words(of: text)
        hasAccents = plainWords.contains(where: \.hasAccents)
        key = SearchText.key(of: plainWords, text)
        var seen: Set<SearchWord> = []
        var distinct: [SearchWord] = []
        for word in plainWords.reversed() where seen.insert(word).inserted { distinct.append(word) }
        distinct.reverse()
        // Keeps the last word, because it is the one being typed.
        if distinct.count > Self.maxWords { distinct.removeSubrange(Self.maxWords - 1..<distinct.count - 1) }
        words = distinct.map { word in
            guard word.isUnspaced, word.plain.unicodeScalars.count > Self.maxRun else { return word }
            var run = String.UnicodeScalarView()
            run.append(contentsOf: word.plain.unicodeScalars.prefix(Self.maxRun))
            return SearchWord(String(run), isUnspaced: true)
        }
    }

    /// Creates a text from other words, such as corrected ones.
    init(_ words: [SearchWord]) {
        (self.words, plainWords) = (words, words)
        hasAccents = words.contains(where: \.hasAccents)
        key = words.map(\.folded).joined(separator: " ")
    }
}
