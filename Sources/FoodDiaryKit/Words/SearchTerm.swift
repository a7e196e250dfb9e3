/// One word that an ingredient must have, in any of some forms.
package struct SearchTerm: Hashable, Sendable {
    /// A form of the word.
    package struct Form: Hashable, Sendable {
        package let text: String
        /// Whether it may be the beginning of a word.
        package var isPrefix = false
        /// How far it is from what was typed.
        var cost = 0
        /// What of an index all must be there, in scripts without spaces.
        package var grams: [String]?
    }

    package let forms: [Form]

    init(_ forms: [Form]) { self.forms = forms }

    /// The word as it was typed, which may be going on.
    init(_ word: SearchWord, isPrefix: Bool, withAccents: Bool = false) {
        if word.isUnspaced {
            forms = [Form(text: word.folded, isPrefix: isPrefix, grams: word.pairs)]
        } else {
            forms = [Form(text: withAccents ? word.plain : word.folded, isPrefix: isPrefix)]
        }
    }

    /// How a word of a name answers the term; `nil` if it does not. The better, the smaller.
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
        /// Whether the word goes on after what was typed.
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

    /// Texts are short, so each place is tried.
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

/// What somebody typed, as it is looked for. Of a long text only the beginning counts.
struct TypedText: Sendable {
    let words: [SearchWord]
    /// All of it, as names are looked up.
    let key: String
    /// All words, however many.
    let plainWords: [SearchWord]
    let hasAccents: Bool

    static let maxLength = 400
    static let maxWords = 10
    /// Of text without spaces.
    static let maxRun = 16

    init(_ typed: String) {
        var head = String.UnicodeScalarView()
        head.append(contentsOf: typed.unicodeScalars.prefix(Self.maxLength))
        // Accents may be characters of their own, which belong to the letter before them.
        let text = FoodBounds.tidied(String(head))
        plainWords = SearchText.words(of: text)
        hasAccents = plainWords.contains(where: \.hasAccents)
        key = SearchText.key(of: plainWords, text)
        var seen: Set<SearchWord> = []
        var distinct: [SearchWord] = []
        for word in plainWords.reversed() where seen.insert(word).inserted { distinct.append(word) }
        distinct.reverse()
        // What is being typed is the last word, so that one stays.
        if distinct.count > Self.maxWords { distinct.removeSubrange(Self.maxWords - 1..<distinct.count - 1) }
        words = distinct.map { word in
            guard word.isUnspaced, word.plain.unicodeScalars.count > Self.maxRun else { return word }
            var run = String.UnicodeScalarView()
            run.append(contentsOf: word.plain.unicodeScalars.prefix(Self.maxRun))
            return SearchWord(String(run), isUnspaced: true)
        }
    }

    /// Words that may be meant by those that were typed.
    init(_ words: [SearchWord]) {
        (self.words, plainWords) = (words, words)
        hasAccents = words.contains(where: \.hasAccents)
        key = words.map(\.folded).joined(separator: " ")
    }
}
