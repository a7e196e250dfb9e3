import Foundation

/// A sentence about food, split into words that may belong together: "two eggs and a slice of rye bread" is about eggs and about rye bread.
struct FoodText: Sendable {
    /// Groups of neighboring words with no word or sign between them that separates foods.
    let groups: [[SearchWord]]

    static let maxLength = 2_000
    /// The maximum number of words in all groups together.
    static let maxWords = 32
    /// The maximum length of a run without spaces.
    static let maxRun = 40

    init(_ text: String) {
        var groups: [[SearchWord]] = []
        var count = 0
        let scalars = text.unicodeScalars.prefix(Self.maxLength)
        for clause in scalars.split(whereSeparator: Self.isBreak) {
            var group: [SearchWord] = []
            for word in SearchText.words(of: FoodBounds.tidied(String(clause))) where count < Self.maxWords {
                // A single letter is the remainder of an apostrophe: l'avoine, Reese's.
                if !word.isUnspaced, word.folded.utf8.count == 1 { continue }
                if word.isUnspaced || FoodStopWords.contains(word.folded) || word.isAmount {
                    if !group.isEmpty { groups.append(group) }
                    group = []
                    if word.isUnspaced { groups.append([word.cut(to: Self.maxRun)]) }
                } else {
                    group.append(word)
                }
                if word.isUnspaced || !FoodStopWords.contains(word.folded) { count += 1 }
            }
            if !group.isEmpty { groups.append(group) }
        }
        self.groups = groups
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .otherPunctuation: scalar != "'" && scalar != "%"
        case .openPunctuation, .closePunctuation, .mathSymbol, .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension SearchWord {
    /// Whether it is a number, with or without a unit: 200, 1kg, 250ml.
    fileprivate var isAmount: Bool {
        guard let first = folded.unicodeScalars.first, first.properties.numericType != nil else { return false }
        let unit = folded.unicodeScalars.drop { $0.properties.numericType != nil }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: unit)
        return unit.isEmpty || FoodStopWords.contains(String(text))
    }

    /// The beginning of a run without spaces.
    func cut(to length: Int) -> SearchWord {
        guard plain.unicodeScalars.count > length else { return self }
        var head = String.UnicodeScalarView()
        head.append(contentsOf: plain.unicodeScalars.prefix(length))
        return SearchWord(String(head), isUnspaced: isUnspaced)
    }
}
