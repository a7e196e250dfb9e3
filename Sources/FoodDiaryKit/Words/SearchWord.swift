/// A word of a name or of typed text, in the two forms in which words are compared.
///
/// In some languages accents change the food (bơ is butter, bò is beef), so a word is stored with its accents and found without them, too.
package struct SearchWord: Hashable, Sendable {
    /// In lower case, with its accents.
    package let plain: String
    /// Without accents, and in hiragana instead of katakana. Letters of other scripts are unchanged, not converted to ASCII.
    let folded: String
    /// Whether the script has no spaces between words, so that this may be several words.
    package let isUnspaced: Bool

    /// Longer words are truncated.
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

    /// Creates a word of ASCII letters in lower case.
    init(ascii word: String) {
        plain = word
        folded = word
        isUnspaced = false
    }

    var hasAccents: Bool { !isUnspaced && plain != folded }

    /// The entries of the word in the index.
    var indexed: [String] {
        if isUnspaced { return Self.grams(of: folded, 1) + Self.grams(of: folded, 2) }
        return hasAccents ? [folded, plain] : [folded]
    }

    /// The index entries that are all present where unspaced text contains the word: its pairs of letters, or its only letter.
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

    /// Both kana represent the same sounds, and users choose either.
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
        // A word that consists only of accents could not be found without them.
        return folded.isEmpty ? plain : folded
    }
}

extension Unicode.Scalar {
    /// Whether it is a katakana letter with a hiragana counterpart.
    fileprivate var isKatakana: Bool { (0x30A1...0x30F6).contains(value) || value == 0x30FD || value == 0x30FE }
}

extension SearchWord {
    /// Whether the word has too few letters to be corrected.
    var isShort: Bool { !isUnspaced && folded.utf16.count < Vocabulary.minLength }

    /// The form in which the word can be a correction of a misspelled one; `nil` if it can't be.
    package var correctable: String? { !isUnspaced && Vocabulary.holds(folded) ? folded : nil }
}
