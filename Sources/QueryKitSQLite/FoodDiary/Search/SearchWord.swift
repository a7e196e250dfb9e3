import Foundation

/// A word of a name or of what somebody typed, in the two forms in which words are compared.
///
/// Accents change the food in some languages (bơ is butter, bò is beef), so a word is kept with them, and found without them, too.
struct SearchWord: Hashable, Sendable {
    /// In lower case, with its accents.
    let plain: String
    /// Without accents. Letters of other scripts stay: nothing is forced into ASCII.
    let folded: String
    /// Whether the script puts no spaces between words, so that this may be several of them.
    let isUnspaced: Bool

    /// Longer words are cut.
    static let maxLength = 40

    init(_ plain: String, isUnspaced: Bool = false) {
        self.plain = plain
        self.isUnspaced = isUnspaced
        folded = isUnspaced || plain.utf8.allSatisfy { $0 < 0x80 } ? plain : Self.folded(plain)
    }

    /// A word of letters that have neither accents nor capitals.
    init(ascii word: String) {
        plain = word
        folded = word
        isUnspaced = false
    }

    var hasAccents: Bool { plain != folded }

    /// What an index holds of the word.
    var indexed: [String] {
        if isUnspaced { return Self.grams(of: plain, 1) + Self.grams(of: plain, 2) }
        return hasAccents ? [folded, plain] : [folded]
    }

    /// What of an index all holds where the word occurs in unspaced text: its pairs of letters, or its only letter.
    var pairs: [String] { plain.unicodeScalars.count < 2 ? [plain] : Self.grams(of: plain, 2) }

    /// The letters of the word.
    var letters: [String] { Self.grams(of: plain, 1) }

    private static func grams(of text: String, _ size: Int) -> [String] {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= size else { return [] }
        return (0...scalars.count - size).map { start in
            var gram = String.UnicodeScalarView()
            gram.append(contentsOf: scalars[start..<start + size])
            return String(gram)
        }
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

/// Letters without their accents.
enum LetterFolding {
    /// What a letter becomes; `nil` if it stays.
    static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? { scalar.value < 0x80 ? nil : letters[scalar] }

    // Made once, since Foundation takes a microsecond for each: Latin, Greek and Cyrillic letters, and Latin ones with two accents.
    private static let letters: [Unicode.Scalar: [Unicode.Scalar]] = {
        var letters = others.mapValues { Array($0.unicodeScalars) }
        for range in [0x00C0...0x024F, 0x0370...0x052F, 0x1E00...0x1FFF] as [ClosedRange<UInt32>] {
            for scalar in range.compactMap(Unicode.Scalar.init) where letters[scalar] == nil {
                let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.isAccent }
                if Array(parts) != [scalar], !parts.isEmpty { letters[scalar] = parts.flatMap { letters[$0] ?? [$0] } }
            }
        }
        return letters
    }()

    /// Letters that Unicode does not take apart.
    private static let others: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŋ": "n", "ς": "σ",
    ]
}

/// The words of texts.
enum SearchText {
    /// The words of a text, in their order.
    static func words(of text: String) -> [SearchWord] {
        var text = text
        return text.withUTF8(words)
    }

    /// Most names need neither the tables of Unicode nor Foundation, so they are read byte by byte.
    static func words(of bytes: UnsafeBufferPointer<UInt8>) -> [SearchWord] {
        guard bytes.allSatisfy({ $0 < 0x80 }) else { return otherWords(String(decoding: bytes, as: UTF8.self)) }
        var words: [SearchWord] = []
        var index = 0
        while index < bytes.count {
            let start = index
            while index < bytes.count, bytes[index].isWordByte { index += 1 }
            if index > start {
                let count = min(index - start, SearchWord.maxLength)
                let word = String(unsafeUninitializedCapacity: count) { buffer in
                    for offset in 0..<count { buffer[offset] = bytes[start + offset].lowercasedByte }
                    return count
                }
                words.append(SearchWord(ascii: word))
            }
            index += 1
        }
        return words
    }

    /// A name as it is looked up, without accents: its words with single spaces, or all of it if it has none, such as an emoji.
    static func key(of words: [SearchWord], _ text: String) -> String {
        switch words.count {
        case 0: text.lowercased().precomposedStringWithCanonicalMapping
        case 1: words[0].folded
        default: words.map(\.folded).joined(separator: " ")
        }
    }

    private static func otherWords(_ text: String) -> [SearchWord] {
        if text.unicodeScalars.allSatisfy(\.isSimple) { return split(text.unicodeScalars) { $0.lowercased } }
        return split(text.lowercased().precomposedStringWithCompatibilityMapping.unicodeScalars) { $0 }
    }

    private static func split(_ text: String.UnicodeScalarView, _ lowercased: (Unicode.Scalar) -> Unicode.Scalar) -> [SearchWord] {
        var words: [SearchWord] = []
        var word = String.UnicodeScalarView()
        var length = 0
        var isUnspaced = false
        func end() {
            if length > 0 { words.append(SearchWord(String(word), isUnspaced: isUnspaced)) }
            word = String.UnicodeScalarView()
            length = 0
        }
        for scalar in text {
            // Joiners are in the middle of words, and not typed by everybody.
            if scalar.value == 0x200C || scalar.value == 0x200D { continue }
            guard scalar.isOfWord else {
                end()
                continue
            }
            if length > 0, scalar.isUnspaced != isUnspaced, !scalar.isAccent { end() }
            if length == 0 { isUnspaced = scalar.isUnspaced }
            // Text without spaces goes on; it is looked at in pairs of letters.
            if isUnspaced || length < SearchWord.maxLength { word.append(lowercased(scalar)) }
            length += 1
        }
        end()
        return words
    }
}

extension UInt8 {
    fileprivate var isWordByte: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    fileprivate var lowercasedByte: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension Unicode.Scalar {
    /// Whether it is itself in every normal form that keeps letters together, and one letter in lower case. Most are, so most names need no closer look.
    fileprivate var isSimple: Bool {
        switch value {
        case 0x00...0x7F, 0x00C0...0x012F, 0x0131, 0x0134...0x013E, 0x0141...0x0148, 0x014A...0x017E, 0x0400...0x052F: true
        case 0x1E00...0x1E99, 0x1EA0...0x1EFF, 0x2010...0x2016, 0x2018...0x201E: true
        case 0x3001...0x3006, 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        // Wide signs become narrow ones, which are signs all the same.
        case 0xFF08...0xFF0F, 0xFF1A...0xFF1F: true
        default: false
        }
    }

    /// In lower case, of the simple ones.
    fileprivate var lowercased: Unicode.Scalar {
        switch value {
        case 0x41...0x5A: Unicode.Scalar(UInt8(value) | 0x20)
        case 0..<0x80, 0x2010...: self
        default: properties.lowercaseMapping.unicodeScalars.first ?? self
        }
    }

    /// Whether it is a letter, as most are.
    private var isSimpleLetter: Bool {
        switch value {
        case 0x00C0...0x017F: value != 0xD7 && value != 0xF7
        case 0x0400...0x0481, 0x1E00...0x1EFF, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    var isOfWord: Bool {
        if value < 0x80 { return UInt8(value).isWordByte }
        if isSimpleLetter { return true }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
            .otherNumber, .nonspacingMark, .spacingMark:
            return true
        default: return false
        }
    }

    /// Whether it is a mark that is often left out when typing. The vowel signs of many scripts are marks, too, and are not.
    var isAccent: Bool {
        switch value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        // The vowel points of Hebrew and Arabic.
        case 0x0591...0x05C7, 0x064B...0x065F, 0x0670: true
        default: false
        }
    }

    /// Whether it belongs to a script without spaces between words, or, as with Korean, with endings that stick to them.
    var isUnspaced: Bool {
        switch value {
        case 0..<0x0E00: false
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true  // Thai, Lao, Burmese, Khmer
        case 0x1100...0x11FF, 0xAC00...0xD7FF: true  // Hangul
        case 0x3005...0x3007, 0x3040...0x31FF: true  // Kana, Bopomofo
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true  // Han
        default: false
        }
    }
}
