/// A word that may be misspelled, to be compared with many words letter by letter.
///
/// Bits represent all ways in which the letters read so far can match the word with a few errors. There is one set of bits for each number
/// of errors (Wu and Manber 1992). An extra letter, a missing one, a wrong one and two exchanged letters are one error each. When no bit is
/// left, no word that begins with these letters can match, so a sorted list is searched in a single pass.
struct SpellingPattern {
    /// The possible lengths of the part of the word that was read, for each number of errors.
    struct Reading: Equatable {
        var none: UInt64
        var one: UInt64
        var two: UInt64

        static let start = Reading(none: 0b1, one: 0b11, two: 0b111)
    }

    /// UTF-16 code units, which in nearly all scripts are letters.
    let letters: [UInt16]
    /// The maximum number of errors: one or two.
    let maxErrors: Int
    private let ascii: [UInt64]

    /// Returns `nil` if the word is too long.
    init?(_ word: String, maxErrors: Int) {
        letters = Array(word.utf16)
        guard letters.count < 62 else { return nil }
        self.maxErrors = maxErrors
        var ascii = [UInt64](repeating: 0, count: 128)
        for (index, letter) in letters.enumerated() where letter < 128 { ascii[Int(letter)] |= 1 << index }
        self.ascii = ascii
    }

    /// The positions of a letter in the word.
    @inline(__always)
    private func places(of letter: UInt16) -> UInt64 {
        if letter < 128 { return ascii[Int(letter)] }
        var places: UInt64 = 0
        for index in letters.indices where letters[index] == letter { places |= 1 << index }
        return places
    }

    /// The reading after one more letter. `before` is the reading before the previous letter, which is needed for exchanged letters.
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

    /// Whether no word that begins with these letters can match.
    @inline(__always)
    func isLost(_ reading: Reading) -> Bool { (maxErrors > 1 ? reading.two : reading.one) == 0 }

    /// The number of errors with which the whole word was read; `nil` if it wasn't.
    @inline(__always)
    func errors(in reading: Reading) -> Int? {
        let end = UInt64(1) << letters.count
        if reading.none & end != 0 { return 0 }
        if reading.one & end != 0 { return 1 }
        return maxErrors > 1 && reading.two & end != 0 ? 2 : nil
    }
}
