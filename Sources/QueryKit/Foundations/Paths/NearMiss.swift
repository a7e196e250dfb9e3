/// A path that almost matches a pattern.
struct NearMiss: Equatable {
    enum Difference: Equatable {
        /// One element is spelled differently, by at most two letters.
        case word(position: Int, word: String)
        /// The path is one level below the last element of the pattern.
        case level
    }

    let path: QueryPath
    let difference: Difference
}

extension PathIndex {
    /// For a pattern without matches, finds a path that it was probably meant to match.
    ///
    /// Only words that a developer has typed are checked for typing errors. In a pattern that is written as text, every word is checked. In
    /// an array, only the first element is checked, because the others may be values. An array without wildcards is the path of one
    /// request, which may simply not exist.
    ///
    /// - Parameter limit: The maximum number of steps of the search.
    func nearMiss(of pattern: QueryPattern, within limit: Int = 1_000) -> NearMiss? {
        let isText = pattern.text != nil
        if !isText, pattern.isLiteral { return nil }
        var search = NearSearch(index: self, elements: pattern.elements, isText: isText, stepsLeft: limit)
        return search.result()
    }
}

/// Searches an index for paths that differ from a pattern in one place.
private struct NearSearch {
    let index: PathIndex
    let elements: [QueryPattern.Element]
    let isText: Bool
    var stepsLeft: Int

    private struct Candidate {
        let node: UInt32
        let position: Int
        let difference: NearMiss.Difference?
    }

    private var open = [Candidate(node: PathIndex.root, position: 0, difference: nil)]

    init(index: PathIndex, elements: [QueryPattern.Element], isText: Bool, stepsLeft: Int) {
        (self.index, self.elements, self.isText, self.stepsLeft) = (index, elements, isText, stepsLeft)
    }

    mutating func result() -> NearMiss? {
        while let candidate = open.popLast(), stepsLeft > 0 {
            stepsLeft -= 1
            if candidate.position == elements.count {
                if let difference = candidate.difference, index.hasNumbers(at: candidate.node) {
                    return NearMiss(path: index.path(to: candidate.node), difference: difference)
                }
                if isText, candidate.difference == nil { descend(from: candidate, to: candidate.position, .level) }
                continue
            }
            switch elements[candidate.position].storage {
            case .literal(let element):
                if let child = index.child(of: candidate.node, element) {
                    open.append(Candidate(node: child, position: candidate.position + 1, difference: candidate.difference))
                }
                if candidate.difference == nil, isText || candidate.position == 0, let word = element.text { misspell(word, at: candidate) }
            case .any:
                descend(from: candidate, to: candidate.position + 1, candidate.difference)
            case .rest:
                descend(from: candidate, to: candidate.position, candidate.difference)
                // Pushed last, so that the rest of the pattern is tried first. A path can't be one level below a `**` at the end, because
                // that matches all levels.
                if candidate.position + 1 < elements.count || candidate.difference != nil {
                    open.append(Candidate(node: candidate.node, position: candidate.position + 1, difference: candidate.difference))
                }
            }
        }
        return nil
    }

    private mutating func descend(from candidate: Candidate, to position: Int, _ difference: NearMiss.Difference?) {
        // Limited, because the children of one node are usually similar, such as ids.
        for child in children(of: candidate, limit: 32) { open.append(Candidate(node: child, position: position, difference: difference)) }
    }

    private mutating func misspell(_ word: String, at candidate: Candidate) {
        guard Spelling.isName(word) else { return }
        for child in children(of: candidate, limit: .max) {
            guard let other = index.element(of: child)?.text, Spelling.isSlip(word, for: other) else { continue }
            let difference = NearMiss.Difference.word(position: candidate.position, word: other)
            open.append(Candidate(node: child, position: candidate.position + 1, difference: difference))
        }
    }

    private mutating func children(of candidate: Candidate, limit: Int) -> [UInt32] {
        let children = index.children(of: candidate.node, limit: min(stepsLeft, limit))
        stepsLeft -= children.count
        return children
    }
}

/// Distinguishes typing errors from different words.
private enum Spelling {
    /// Whether a word may be a name that a developer has typed. Ids, dates and numbers are excluded, because similar ones are common.
    static func isName(_ word: String) -> Bool {
        (3...40).contains(word.count) && word.allSatisfy { $0.isLetter || $0 == "-" || $0 == "_" }
    }

    /// Whether a word may be a misspelling of another word: one letter is wrong, missing, added or swapped with the next letter. Two such
    /// differences are allowed in a long word with the same first letter.
    static func isSlip(_ word: String, for other: String) -> Bool {
        guard word != other, isName(other) else { return false }
        let (left, right) = (Array(word.lowercased()), Array(other.lowercased()))
        let letters = distance(left, right)
        return letters < 2 || letters == 2 && max(left.count, right.count) >= 6 && left.first == right.first
    }

    /// The number of letters that differ. A swap of two adjacent letters counts as one.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        if abs(left.count - right.count) > 2 { return 3 }
        var before = [Int]()
        var last = Array(0...right.count)
        for row in 1...left.count {
            var next = [row]
            for column in 1...right.count {
                var best = min(last[column], next[column - 1]) + 1
                best = min(best, last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, before[column - 2] + 1)
                }
                next.append(best)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
