/// Finds what somebody meant who mistyped it.
enum Spelling {
    /// The candidate that fewest insertions, deletions and replacements lead to; of several the first.
    static func nearest(to text: String, of candidates: [String]) -> String {
        candidates.min { distance(text, $0) < distance(text, $1) } ?? text
    }

    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        // The distances from the part of `left` seen so far to each beginning of `right`.
        var row = Array(0...right.count)
        for (index, character) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let replaced = diagonal + (right[column] == character ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
