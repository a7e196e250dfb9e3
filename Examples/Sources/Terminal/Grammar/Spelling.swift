/// Finds the word that somebody may have meant.
package enum Spelling {
    /// The word nearest to what was typed, or `nil` if none is near; of equally near ones the first.
    ///
    /// A word that was begun is near, and so is one with a third of its letters wrong.
    package static func nearest(to typed: String, among words: [String]) -> String? {
        let typed = bare(typed)
        guard !typed.isEmpty else { return nil }
        if let begun = words.first(where: { bare($0).hasPrefix(typed) }) { return begun }
        let ranked = words.map { word in (word: word, distance: distance(typed, bare(word))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, bare(best.word).count / 3) ? best.word : nil
    }

    /// Without the dashes of an option and without capitals, so that `-List` is near `--list`.
    private static func bare(_ word: String) -> String { String(word.lowercased().drop { $0 == "-" }) }

    /// How many letters must be added, removed, replaced, or swapped with their neighbour to make one word of the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var rows = [Array(0...right.count)]
        for row in 0..<left.count {
            var next = [row + 1]
            for column in 0..<right.count {
                var cost = min(
                    rows[row][column + 1] + 1,
                    next[column] + 1,
                    rows[row][column] + (left[row] == right[column] ? 0 : 1)
                )
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, rows[row - 1][column - 1] + 1)
                }
                next.append(cost)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
