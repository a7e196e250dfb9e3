import FoodDiaryKit

/// Turns names into questions of a given kind.
struct QuestionWriter {
    /// `nil` for English.
    let language: FoodDiarySample.Language?
    private var random: SampleRandom
    private var misspelling: Misspelling

    init(language: FoodDiarySample.Language?, seed: UInt64) {
        self.language = language
        random = SampleRandom(seed: seed)
        misspelling = Misspelling(seed: seed)
    }

    static func words(_ name: String) -> [String] { SearchText.words(of: name).map(\.plain) }

    static func key(_ name: String) -> String { words(name).joined(separator: " ") }

    /// The typed text; `nil` if the name can't be written like this.
    mutating func typed(_ name: String, _ kind: SearchQuestion.Kind) -> String? {
        let words = Self.words(name)
        switch kind {
        case .oneLetter: return misspelling.misspelled(name, errors: 1)
        case .twoLetters: return misspelling.misspelled(name, errors: 2)
        case .joined: return joined(words)
        case .split: return split(words)
        case .extraWord: return withExtraWord(words)
        case .and: return withAnd(words)
        case .number: return otherNumber(words)
        case .kana: return otherKana(name)
        case .slip, .noise: return nil
        }
    }

    private var isUnspaced: Bool { language == .japanese || language == .chinese }

    private mutating func joined(_ words: [String]) -> String? {
        guard words.count > 1, !isUnspaced else { return nil }
        let place = random.below(words.count - 1)
        return (words[..<place] + [words[place] + words[place + 1]] + words[(place + 2)...]).joined(separator: " ")
    }

    /// Splits one word into two parts of at least three letters, because people rarely separate shorter parts.
    private mutating func split(_ words: [String]) -> String? {
        let places = words.indices.filter { words[$0].count >= 7 }
        guard !places.isEmpty, !isUnspaced else { return nil }
        var words = words
        let place = places[random.below(places.count)]
        let letters = Array(words[place])
        let cut = random.within(3...letters.count - 3)
        words[place] = String(letters[..<cut]) + " " + String(letters[cut...])
        return words.joined(separator: " ")
    }

    private mutating func withExtraWord(_ words: [String]) -> String? {
        guard let extra = QuestionWords.extra[language?.rawValue ?? "en"] else { return nil }
        let word = extra[random.below(extra.count)]
        guard !words.contains(word) else { return nil }
        // In some languages adjectives follow the noun.
        let follows = language == .french || language == .spanish || language == .vietnamese
        return (follows ? words + [word] : [word] + words).joined(separator: " ")
    }

    private mutating func withAnd(_ words: [String]) -> String? {
        guard words.count > 1, let and = QuestionWords.and[language?.rawValue ?? "en"] else { return nil }
        var words = words
        words.insert(and, at: 1 + random.below(words.count - 1))
        return words.joined(separator: " ")
    }

    private mutating func otherNumber(_ words: [String]) -> String? {
        var words = words
        guard let first = words.first, let last = words.last else { return nil }
        switch language {
        case nil: words[words.count - 1] = QuestionWords.otherNumber(english: last) ?? last
        case .german: words[words.count - 1] = QuestionWords.plural(german: last) ?? last
        case .french: words[0] = QuestionWords.plural(french: first) ?? first
        case .spanish: words[0] = QuestionWords.plural(spanish: first) ?? first
        case .vietnamese, .japanese, .chinese: return nil
        }
        return words.joined(separator: " ")
    }

    /// The name with all kana converted to the other script.
    private func otherKana(_ name: String) -> String? {
        guard language == .japanese else { return nil }
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let other: UInt32 =
                switch scalar.value {
                case 0x3041...0x3096: scalar.value + 0x60
                case 0x30A1...0x30F6: scalar.value - 0x60
                default: scalar.value
                }
            scalars.append(Unicode.Scalar(other) ?? scalar)
        }
        let typed = String(scalars)
        return typed == name ? nil : typed
    }
}
