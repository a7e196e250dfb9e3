/// The words of all names, in memory, as corrections for misspelled words.
///
/// Sorted, so that the common beginning of several words is compared only once. A value, so a reader keeps the words with which it started.
package struct Vocabulary: Sendable {
    /// A word that a misspelled one may mean.
    package struct Correction: Hashable, Sendable {
        let word: String
        /// The number of errors compared with the whole word; `nil` if only its beginning matches.
        let whole: Int?
        /// The number of errors compared with the word or its beginning.
        let errors: Int
    }

    private var letters: [UInt16] = []
    private var starts: [UInt32] = [0]
    private var ids: [Int64] = []
    /// The number of letters that each word shares with the one before it.
    private var shared: [UInt8] = []

    /// Shorter words are not corrected, and are not corrections.
    static let minLength = 3
    /// The minimum length at which an incomplete word is corrected: three letters could become any word.
    static let minPrefixLength = 4
    static let maxLength = 60
    /// The maximum length for corrections by sound. Longer words are corrected with two errors anyway.
    private static let maxSoundLength = 5

    package init() {}

    var count: Int { ids.count }

    /// The number of bytes in memory.
    var byteCount: Int { letters.count * 2 + starts.count * 4 + ids.count * 8 + shared.count }

    static func holds(_ word: String) -> Bool {
        var count = 0
        for _ in word.utf16 { count += 1 }
        return (minLength...maxLength).contains(count)
    }

    /// The maximum number of errors in a word of a length: one up to five letters, two above.
    static func maxErrors(_ length: Int) -> Int { length > 5 ? 2 : 1 }

    /// Adds words, which must not be in the vocabulary yet. They should be in the order of their UTF-16 code units. Databases sort letters
    /// above U+FFFF differently; a word in another place only makes later searches a little slower.
    package mutating func insert(_ words: [(id: Int64, word: String)]) {
        guard !words.isEmpty else { return }
        var merged = Vocabulary()
        merged.letters.reserveCapacity(letters.count + words.count * 8)
        merged.starts.reserveCapacity(starts.count + words.count)
        merged.ids.reserveCapacity(ids.count + words.count)
        merged.shared.reserveCapacity(ids.count + words.count)
        var index = 0
        for (id, word) in words {
            while index < count, self[index].lexicographicallyPrecedes(word.utf16) {
                merged.append(ids[index], self[index])
                index += 1
            }
            merged.append(id, word.utf16)
        }
        while index < count {
            merged.append(ids[index], self[index])
            index += 1
        }
        self = merged
    }

    private subscript(_ index: Int) -> ArraySlice<UInt16> { letters[Int(starts[index])..<Int(starts[index + 1])] }

    private mutating func append(_ id: Int64, _ units: some Collection<UInt16>) {
        var same = 0
        if let last = ids.indices.last {
            for (old, new) in zip(self[last], units) {
                if old != new { break }
                same += 1
            }
        }
        shared.append(UInt8(same))
        letters.append(contentsOf: units)
        starts.append(UInt32(letters.count))
        ids.append(id)
    }

    /// The words that a misspelled word may mean, nearest first, without the word itself.
    ///
    /// - Parameters:
    ///   - asPrefix: Whether the word may be incomplete.
    ///   - last: The key of the last word that counts. A reader of an earlier state of the database must not find later words.
    package func corrections(of word: String, asPrefix: Bool, upTo last: Int64 = .max) -> [Correction] {
        guard word.utf16.count >= Self.minLength else { return [] }
        return corrections(of: word, asPrefix: asPrefix, upTo: last, maxErrors: Self.maxErrors)
    }

    /// Words with nearly the same letters that sound like another word. They may be shorter than other corrections.
    package func corrections(soundingLike word: String, upTo last: Int64 = .max) -> [Correction] {
        guard (2...Self.maxSoundLength).contains(word.utf16.count) else { return [] }
        let key = SoundKey.of(word)
        return corrections(of: word, asPrefix: false, upTo: last) { _ in 2 }.filter { SoundKey.of($0.word) == key }
    }

    private func corrections(of word: String, asPrefix: Bool, upTo last: Int64, maxErrors: (Int) -> Int) -> [Correction] {
        let length = word.utf16.count
        // A correction of six or more letters may have two errors, even if the word is shorter.
        guard let pattern = SpellingPattern(word, maxErrors: max(maxErrors(length), length > 3 ? 2 : 1)) else { return [] }
        let prefixErrors = asPrefix && length >= Self.minPrefixLength ? Self.maxErrors(length) : -1
        var found: [Correction] = []
        // The readings after each letter of the current word, and the minimum number of errors up to there.
        var readings = [SpellingPattern.Reading](repeating: .start, count: Self.maxLength + 2)
        var least = [Int](repeating: Int.max, count: Self.maxLength + 2)
        var index = 0
        letters.withUnsafeBufferPointer { letters in
            while index < ids.count {
                let start = Int(starts[index])
                let end = Int(starts[index + 1])
                var depth = Int(shared[index])
                var isLost = false
                while start + depth < end {
                    let letter = letters[start + depth]
                    let lastLetter = depth > 0 ? letters[start + depth - 1] : 0
                    let reading = pattern.reading(
                        after: readings[depth],
                        letter,
                        before: depth > 0 ? readings[depth - 1] : nil,
                        lastLetter: lastLetter
                    )
                    depth += 1
                    readings[depth] = reading
                    least[depth] = min(least[depth - 1], pattern.errors(in: reading) ?? .max)
                    // If the beginning of the word matches, all continuations match, too.
                    if pattern.isLost(reading), least[depth] > prefixErrors {
                        isLost = true
                        break
                    }
                }
                if isLost {
                    // Skips all words that share these letters.
                    index += 1
                    while index < ids.count, Int(shared[index]) >= depth { index += 1 }
                    continue
                }
                let count = end - start
                let whole = pattern.errors(in: readings[count]).flatMap { $0 <= maxErrors(max(length, count)) ? $0 : nil }
                let prefix = least[count] <= prefixErrors ? least[count] : nil
                if let errors = [whole, prefix].compactMap(\.self).min(), errors > 0, ids[index] <= last {
                    found.append(Correction(word: String(decoding: letters[start..<end], as: UTF16.self), whole: whole, errors: errors))
                }
                index += 1
            }
        }
        return found.sorted { left, right in
            if left.errors != right.errors { return left.errors < right.errors }
            if left.whole != right.whole { return (left.whole ?? .max) < (right.whole ?? .max) }
            if left.word.utf8.count != right.word.utf8.count { return left.word.utf8.count < right.word.utf8.count }
            return left.word < right.word
        }
    }
}

extension Vocabulary {
    /// The maximum number of parts, and of ways to split a word.
    private static let maxParts = 4
    private static let maxSplits = 24

    /// The ways to split a word into several known words, fewest parts first. One of the parts may be unknown if it has one or two letters,
    /// because the vocabulary contains no words that short.
    ///
    /// - Parameter asPrefix: Whether the last part may be incomplete.
    package func parts(of word: String, asPrefix: Bool) -> [[String]] {
        let letters = Array(word.utf16)
        guard letters.count > Self.minLength, letters.count <= Self.maxLength else { return [] }
        var splits: [[Range<Int>]] = []
        var parts: [Range<Int>] = []
        func split(from start: Int, hasShort: Bool) {
            if splits.count == Self.maxSplits { return }
            if start == letters.count {
                if parts.count > 1 { splits.append(parts) }
                return
            }
            if parts.count == Self.maxParts { return }
            for end in (start + 1...letters.count).reversed() where end - start < letters.count {
                let isShort = end - start < Self.minLength
                if isShort ? hasShort : !contains(letters[start..<end], asPrefix: asPrefix && end == letters.count) { continue }
                parts.append(start..<end)
                split(from: end, hasShort: hasShort || isShort)
                parts.removeLast()
            }
        }
        split(from: 0, hasShort: false)
        let order = splits.indices.sorted { (splits[$0].count, $0) < (splits[$1].count, $1) }
        return order.map { splits[$0].map { String(decoding: letters[$0], as: UTF16.self) } }
    }

    /// Whether it is certain that no name has a word, or one that begins with these letters.
    ///
    /// Words with accents are stored without them, and words of rare letters in another order, so only ASCII words are certain. The
    /// vocabulary has no words of more than ``maxLength`` letters, which may begin like another one.
    package func lacks(_ word: String, asPrefix: Bool) -> Bool {
        guard (Self.minLength...Self.maxLength).contains(word.utf8.count), word.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        return !contains(Array(word.utf16)[...], asPrefix: asPrefix)
    }

    /// Whether the vocabulary has a word, or one that begins with these letters.
    private func contains(_ word: ArraySlice<UInt16>, asPrefix: Bool) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lexicographicallyPrecedes(word) { low = middle + 1 } else { high = middle }
        }
        guard low < count else { return false }
        return asPrefix ? self[low].starts(with: word) : self[low].elementsEqual(word)
    }
}
