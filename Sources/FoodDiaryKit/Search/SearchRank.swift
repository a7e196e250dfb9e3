/// How well a candidate matches, as an order: lower ranks come first.
struct SearchRank: Comparable {
    /// 0 if a name or alias is exactly the typed text, 1 if only accents differ, and more for other forms and corrections.
    private let pin: Int
    /// 0 if all typed accents match.
    private let accents: Int
    private let usageCount: Int
    private let relevance: Int
    /// Whether one name has all terms.
    let isOfOneName: Bool
    private let name: String
    private let length: Int
    let id: Ingredient.ID

    /// Greater than every pin.
    private static let unpinned = 100

    init(_ candidate: SearchCandidate, _ typed: TypedText, _ terms: [SearchTerm]) {
        var pin = Self.unpinned
        var best = Int.max
        var agrees = [Bool](repeating: false, count: typed.hasAccents ? typed.words.count : 0)
        var isAlias = false
        for name in candidate.names {
            let words = name.words
            pin = min(pin, Self.pin(name, typed))
            let match = LabelMatch(words, terms)
            if let cost = match.wholeCost { pin = min(pin, 2 + cost) }
            best = min(best, match.relevance(isAlias: isAlias))
            isAlias = true
            for index in agrees.indices where !agrees[index] {
                let word = typed.words[index]
                let isLast = index == typed.words.count - 1
                agrees[index] =
                    !word.hasAccents || words.contains { isLast ? word.plain.isBeginning(of: $0.plain) : $0.plain == word.plain }
            }
        }
        self.pin = pin
        relevance = best
        isOfOneName = LabelMatch.isComplete(best)
        accents = agrees.allSatisfy(\.self) ? 0 : 1
        usageCount = candidate.usageCount
        name = candidate.name
        length = name.unicodeScalars.count
        id = candidate.id
    }

    private static func pin(_ name: SearchName, _ typed: TypedText) -> Int {
        let words = name.words
        guard words.count == typed.plainWords.count else { return unpinned }
        if words.isEmpty { return SearchText.key(of: [], name.text) == typed.key ? 0 : unpinned }
        guard words.elementsEqual(typed.plainWords, by: { $0.folded == $1.folded }) else { return unpinned }
        return words.elementsEqual(typed.plainWords) { $0.plain == $1.plain } ? 0 : 1
    }

    static func < (left: SearchRank, right: SearchRank) -> Bool {
        if left.pin != right.pin { return left.pin < right.pin }
        if left.accents != right.accents { return left.accents < right.accents }
        if left.usageCount != right.usageCount { return left.usageCount > right.usageCount }
        if left.relevance != right.relevance { return left.relevance < right.relevance }
        if left.length != right.length { return left.length < right.length }
        if left.name != right.name { return left.name < right.name }
        return left.id < right.id
    }
}

/// How well one name matches the terms.
struct LabelMatch {
    private var missing = 0
    private var cost = 0
    private var folded = 0
    private var isPart = false
    private var isInOrder = true
    private var startsWithFirst = false
    private var extra = 0

    init(_ words: [SearchWord], _ terms: [SearchTerm]) {
        for (index, term) in terms.enumerated() {
            var best: SearchTerm.Match?
            var place = 0
            for (position, word) in words.enumerated() {
                // Prefers the word at the same position, so that equal words count as in order.
                guard let match = term.match(word) else { continue }
                if best.map({ match < $0 || match == $0 && position == index }) ?? true {
                    best = match
                    place = position
                }
            }
            guard let best else {
                missing += 1
                isInOrder = false
                continue
            }
            cost += best.cost
            folded += best.isFolded ? 1 : 0
            isPart = isPart || best.isPart
            if place != index { isInOrder = false }
            if index == 0, place == 0 { startsWithFirst = true }
        }
        extra = max(0, words.count - terms.count)
    }

    /// The cost of turning the terms into exactly this name; `nil` if that is impossible.
    var wholeCost: Int? { missing == 0 && isInOrder && !isPart && extra == 0 ? cost : nil }

    /// Orders by: all words in one name, few corrections, typed accents, beginning of the name, whole words, short names, names before
    /// aliases.
    func relevance(isAlias: Bool) -> Int {
        let begins = isInOrder ? 0 : startsWithFirst ? 1 : 2
        var number = min(missing, 15)
        // The fields below `missing` have 20 bits.
        number = number << 6 | min(cost, 63)
        number = number << 4 | min(folded, 15)
        number = number << 2 | begins
        number = number << 1 | (isPart ? 1 : 0)
        number = number << 6 | min(extra, 63)
        return number << 1 | (isAlias ? 1 : 0)
    }

    /// Whether a relevance belongs to a name with all terms.
    static func isComplete(_ relevance: Int) -> Bool { relevance < 1 << 20 }
}
