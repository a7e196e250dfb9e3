import Foundation

/// Splits texts into words.
package enum SearchText {
    /// The words of a text, in their order.
    package static func words(of text: String) -> [SearchWord] {
        var text = text
        return text.withUTF8(words)
    }

    /// A fast path that reads bytes, because most names need neither Unicode tables nor Foundation.
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

    /// The form in which a name is looked up: its words without accents and with single spaces, or the whole text if it has no words, such
    /// as an emoji.
    package static func key(of words: [SearchWord], _ text: String) -> String {
        switch words.count {
        case 0: signs(of: text)
        case 1: words[0].folded
        default: words.map(\.folded).joined(separator: " ")
        }
    }

    private static func signs(of text: String) -> String {
        var signs = String.UnicodeScalarView()
        signs.append(contentsOf: text.lowercased().precomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.isVariationSelector })
        return String(signs)
    }

    private static func otherWords(_ text: String) -> [SearchWord] {
        if text.unicodeScalars.allSatisfy(\.isSimple) { return split(text.unicodeScalars) { $0.lowercased } }
        // Compatibility characters may expand to capital letters. Those of a trademark sign are not part of the word before it.
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: text.unicodeScalars.map { $0 == "™" || $0 == "℠" ? " " : $0 })
        return split(String(plain).lowercased().precomposedStringWithCompatibilityMapping.lowercased().unicodeScalars) { $0 }
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
            // Joiners occur within words, and not every user types them. A variation selector after an emoji is not a word.
            if scalar.value == 0x200C || scalar.value == 0x200D || scalar.isVariationSelector { continue }
            guard scalar.isOfWord else {
                end()
                continue
            }
            if length > 0, scalar.isUnspaced != isUnspaced, !scalar.isAccent { end() }
            if length == 0 { isUnspaced = scalar.isUnspaced }
            // Text without spaces isn't cut, because it is searched in pairs of letters.
            if isUnspaced || length < SearchWord.maxLength { word.append(lowercased(scalar)) }
            length += 1
        }
        end()
        return words
    }
}

extension UInt8 {
    var isWordByte: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }

    fileprivate var lowercasedByte: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
