/// Singular and plural: eggs and egg, berries and berry, Tomaten and Tomate.
///
/// Rules as simple as these also produce words that don't exist. Those are only looked up in addition to the word itself, and match
/// nothing.
enum WordForms {
    /// The possible singulars of a word.
    static func singulars(of word: String) -> [String] {
        guard word.utf8.count > 3 else { return [] }
        if word.hasSuffix("ss") { return [] }
        if word.hasSuffix("ves"), word.utf8.count > 4 { return [word.dropLast(3) + "f", word.dropLast(3) + "fe", String(word.dropLast())] }
        if word.hasSuffix("ces"), word.utf8.count > 4 {
            return [String(word.dropLast()), word.dropLast(3) + "z", String(word.dropLast(2))]
        }
        if word.hasSuffix("ies"), word.utf8.count > 4 { return [word.dropLast(3) + "y", String(word.dropLast())] }
        if word.hasSuffix("es") { return [String(word.dropLast()), String(word.dropLast(2))] }
        if word.hasSuffix("s") { return [String(word.dropLast())] }
        return []
    }

    /// The other forms of a word in a sentence.
    static func others(of word: String) -> [String] {
        guard word.utf8.count > 2, word.utf8.allSatisfy({ $0 > 0x39 }) else { return [] }
        var forms = singulars(of: word)
        if word.utf8.count > 4, word.hasSuffix("x") || word.hasSuffix("e") { forms.append(String(word.dropLast())) }
        if word.utf8.count > 4, word.hasSuffix("n") { forms.append(String(word.dropLast())) }
        if word.utf8.count > 3, word.hasSuffix("er") { forms.append(String(word.dropLast(2))) }
        if !word.hasSuffix("s") {
            forms += [word + "s", word + "es"]
            if word.hasSuffix("y") { forms.append(word.dropLast() + "ies") }
            if word.hasSuffix("e") { forms.append(word + "n") }
            if word.hasSuffix("f") { forms.append(word.dropLast() + "ves") }
            if word.hasSuffix("z") { forms.append(word.dropLast() + "ces") }
        }
        return forms
    }
}
