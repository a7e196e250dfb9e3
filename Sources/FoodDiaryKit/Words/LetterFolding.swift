import Foundation

/// Removes the accents of letters.
enum LetterFolding {
    /// The letters without accents; `nil` if the letter has none.
    static func folded(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? { scalar.value < 0x80 ? nil : letters[scalar] }

    // Computed once, because Foundation takes a microsecond per letter: Latin, Greek and Cyrillic letters, and Latin letters with two
    // accents.
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

    /// Letters that Unicode doesn't decompose.
    private static let others: [Unicode.Scalar: String] = [
        "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ı": "i", "ŋ": "n", "ς": "σ",
    ]
}

extension Unicode.Scalar {
    /// Whether the letter is unchanged in every composed normal form, and is a single letter in lower case. Most letters are, so most names
    /// take a fast path.
    var isSimple: Bool {
        switch value {
        case 0x00...0x7F, 0x00C0...0x012F, 0x0131, 0x0134...0x013E, 0x0141...0x0148, 0x014A...0x017E, 0x0400...0x052F: true
        case 0x1E00...0x1E99, 0x1EA0...0x1EFF, 0x2010...0x2016, 0x2018...0x201E: true
        case 0x3001...0x3006, 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        // Full-width signs are folded to ASCII signs, which are signs, too.
        case 0xFF08...0xFF0F, 0xFF1A...0xFF1F: true
        default: false
        }
    }

    /// The lowercase letter of a simple one.
    var lowercased: Unicode.Scalar {
        switch value {
        case 0x41...0x5A: Unicode.Scalar(UInt8(value) | 0x20)
        case 0..<0x80, 0x2010...: self
        default: properties.lowercaseMapping.unicodeScalars.first ?? self
        }
    }

    /// Whether a simple scalar is a letter.
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

    /// Whether it is an accent that is often omitted when typing. Vowel signs of many scripts are marks, too, but are not omitted.
    var isAccent: Bool {
        switch value {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        // The vowel points of Hebrew and Arabic.
        case 0x0591...0x05C7, 0x064B...0x065F, 0x0670: true
        default: false
        }
    }

    /// Whether it selects the appearance of the character before it. Such selectors can hide text, and not every user types them.
    var isVariationSelector: Bool {
        switch value {
        case 0x180B...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF: true
        default: false
        }
    }

    /// Whether it belongs to a script without spaces between words or, as in Korean, with endings attached to words.
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
