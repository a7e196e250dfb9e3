/// Finds the known word that a mistyped one may mean.
package enum Spelling {
    /// The word nearest to the typed one, or `nil` if none is near. If several are equally near, the first.
    ///
    /// A word is near if it begins with the typed text, or if at most a third of its letters are wrong.
    package static func nearest(to typed: String, among words: [String]) -> String? {
        let typed = bare(typed)
        guard !typed.isEmpty else { return nil }
        if let begun = words.first(where: { bare($0).hasPrefix(typed) }) { return begun }
        let ranked = words.map { word in (word: word, distance: distance(typed, bare(word))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, bare(best.word).count / 3) ? best.word : nil
    }

    /// The word without the dashes of an option and in lower case, so that `-List` is near `--list`.
    private static func bare(_ word: String) -> String { String(word.lowercased().drop { $0 == "-" }) }

    /// The number of letters to add, remove, replace, or exchange with their neighbor to turn one word into the other.
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
