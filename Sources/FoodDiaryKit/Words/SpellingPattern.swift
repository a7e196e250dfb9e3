/// A word that may be misspelled, compared with many others letter by letter.
///
/// All ways in which the letters read so far can be those of the word with a few errors are kept as bits, one word of bits for each number of errors
/// (Wu and Manber 1992). A letter too many, one too few, a wrong one and two that were swapped are one error each. When no bit is
/// left, nothing that begins with these letters can be meant, so a sorted list is read in passing.
struct SpellingPattern {
    /// For each number of errors the lengths of the word's beginnings that may have been read.
    struct Reading: Equatable {
        var none: UInt64
        var one: UInt64
        var two: UInt64

        static let start = Reading(none: 0b1, one: 0b11, two: 0b111)
    }

    /// Letters are units of UTF-16, which in nearly all scripts are letters.
    let letters: [UInt16]
    /// Up to how many errors are of interest: one or two.
    let maxErrors: Int
    private let ascii: [UInt64]

    /// `nil` for words that are too long.
    init?(_ word: String, maxErrors: Int) {
        letters = Array(word.utf16)
        guard letters.count < 62 else { return nil }
        self.maxErrors = maxErrors
        var ascii = [UInt64](repeating: 0, count: 128)
        for (index, letter) in letters.enumerated() where letter < 128 { ascii[Int(letter)] |= 1 << index }
        self.ascii = ascii
    }

    /// Where in the word a letter stands.
    @inline(__always)
    private func places(of letter: UInt16) -> UInt64 {
        if letter < 128 { return ascii[Int(letter)] }
        var places: UInt64 = 0
        for index in letters.indices where letters[index] == letter { places |= 1 << index }
        return places
    }

    /// What may have been read when a letter follows. `before` is the reading before the last letter, for those that were swapped.
    @inline(__always)
    func reading(after last: Reading, _ letter: UInt16, before: Reading?, lastLetter: UInt16) -> Reading {
        let here = places(of: letter)
        let none = (last.none & here) << 1
        var one = (last.one & here) << 1 | last.none | last.none << 1 | none << 1
        var two = (last.two & here) << 1 | last.one | last.one << 1
        if let before {
            let swapped = here & places(of: lastLetter) >> 1
            one |= (before.none & swapped) << 2
            two |= (before.one & swapped) << 2
        }
        two |= one << 1
        let all = (UInt64(1) << (letters.count + 1)) - 1
        return Reading(none: none & all, one: one & all, two: maxErrors > 1 ? two & all : 0)
    }

    /// Whether nothing that begins like this can be meant.
    @inline(__always)
    func isLost(_ reading: Reading) -> Bool { (maxErrors > 1 ? reading.two : reading.one) == 0 }

    /// With how many errors all of the word was read.
    @inline(__always)
    func errors(in reading: Reading) -> Int? {
        let end = UInt64(1) << letters.count
        if reading.none & end != 0 { return 0 }
        if reading.one & end != 0 { return 1 }
        return maxErrors > 1 && reading.two & end != 0 ? 2 : nil
    }
}
