/// A word of a name or of what somebody typed, in the two forms in which words are compared.
///
/// Accents change the food in some languages (bơ is butter, bò is beef), so a word is kept with them, and found without them, too.
package struct SearchWord: Hashable, Sendable {
    /// In lower case, with its accents.
    package let plain: String
    /// Without accents, and in hiragana where it is in katakana. Letters of other scripts stay: nothing is forced into ASCII.
    let folded: String
    /// Whether the script puts no spaces between words, so that this may be several of them.
    package let isUnspaced: Bool

    /// Longer words are cut.
    static let maxLength = 40

    init(_ plain: String, isUnspaced: Bool = false) {
        self.plain = plain
        self.isUnspaced = isUnspaced
        if isUnspaced {
            folded = Self.hiragana(plain)
        } else {
            folded = plain.utf8.allSatisfy { $0 < 0x80 } ? plain : Self.folded(plain)
        }
    }

    /// A word of letters that have neither accents nor capitals.
    init(ascii word: String) {
        plain = word
        folded = word
        isUnspaced = false
    }

    var hasAccents: Bool { !isUnspaced && plain != folded }

    /// What an index holds of the word.
    var indexed: [String] {
        if isUnspaced { return Self.grams(of: folded, 1) + Self.grams(of: folded, 2) }
        return hasAccents ? [folded, plain] : [folded]
    }

    /// What of an index all holds where the word occurs in unspaced text: its pairs of letters, or its only letter.
    var pairs: [String] { folded.unicodeScalars.count < 2 ? [folded] : Self.grams(of: folded, 2) }

    /// The letters of the word.
    var letters: [String] { Self.grams(of: folded, 1) }

    private static func grams(of text: String, _ size: Int) -> [String] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= size else { return [] }
        return (0...scalars.count - size).map { start in
            var gram = String.UnicodeScalarView()
            gram.append(contentsOf: scalars[start..<start + size])
            return String(gram)
        }
    }

    /// Both kana write the same sounds, and people choose either.
    private static func hiragana(_ plain: String) -> String {
        guard plain.unicodeScalars.contains(where: \.isKatakana) else { return plain }
        var scalars = String.UnicodeScalarView()
        for scalar in plain.unicodeScalars {
            scalars.append(scalar.isKatakana ? Unicode.Scalar(scalar.value - 0x60) ?? scalar : scalar)
        }
        return String(scalars)
    }

    private static func folded(_ plain: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in plain.unicodeScalars {
            if scalar.isAccent { continue }
            if let letters = LetterFolding.folded(scalar) { scalars.append(contentsOf: letters) } else { scalars.append(scalar) }
        }
        let folded = String(scalars)
        // A word of accents alone is nothing that could be found without them.
        return folded.isEmpty ? plain : folded
    }
}

extension Unicode.Scalar {
    /// Whether it is a letter of katakana that hiragana has, too.
    fileprivate var isKatakana: Bool { (0x30A1...0x30F6).contains(value) || value == 0x30FD || value == 0x30FE }
}

extension SearchWord {
    /// Whether it has too few letters to tell what else may be meant.
    var isShort: Bool { !isUnspaced && folded.utf16.count < Vocabulary.minLength }

    /// The word as it may be meant by one that is misspelled; `nil` if it is not for that.
    package var correctable: String? { !isUnspaced && Vocabulary.holds(folded) ? folded : nil }
}
