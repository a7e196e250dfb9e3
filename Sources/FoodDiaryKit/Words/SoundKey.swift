/// The letters of a word as they roughly sound, equal for words that are easily confused, such as curry and curie.
enum SoundKey {
    /// - Parameter withVowels: Whether the vowels count, too. Otherwise pie and pea are equal.
    static func of(_ word: String, withVowels: Bool = false) -> [UInt8] {
        let letters = Array(word.utf8)
        var key: [UInt8] = []
        var index = 0
        func next(_ offset: Int = 1) -> UInt8? { index + offset < letters.count ? letters[index + offset] : nil }
        func add(_ sound: Unicode.Scalar) { if key.last != UInt8(ascii: sound) { key.append(UInt8(ascii: sound)) } }
        while index < letters.count {
            let letter = Unicode.Scalar(letters[index])
            let follows = next().map { Unicode.Scalar($0) }
            var length = 1
            switch (letter, follows) {
            case ("p", "h"): (length, _) = (2, add("f"))
            case ("c", "h"): (length, _) = (2, add("C"))
            case ("s", "h"): (length, _) = (2, add("S"))
            case ("c", "k"): (length, _) = (2, add("k"))
            case ("g", "h"): length = 2
            case ("k", "n") where index == 0, ("w", "r") where index == 0, ("p", "s") where index == 0: break
            case ("m", "b") where index + 2 == letters.count: (length, _) = (2, add("m"))
            case ("c", "e"), ("c", "i"), ("c", "y"): add("s")
            case ("c", _), ("q", _): add("k")
            case ("z", _): add("s")
            case ("x", _):
                add("k")
                add("s")
            case ("h", _): if index == 0 { add("h") }
            case ("i", "e") where withVowels && index > 0: (length, _) = (2, add("i"))
            case ("e", nil) where withVowels && key.count > 1: break
            case ("a", _), ("e", _), ("i", _), ("o", _), ("u", _):
                if withVowels { add(letter) } else if index == 0 { add("a") }
            case ("y", _) where withVowels && index > 0: add("i")
            case ("w", _), ("y", _): if index == 0 { add(letter) }
            default: if key.last != letters[index] || index > 0 && letters[index - 1] != letters[index] { key.append(letters[index]) }
            }
            index += length
        }
        return key
    }
}
