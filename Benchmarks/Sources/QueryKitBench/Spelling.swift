/// Finds the word that a mistyped one may mean.
enum Spelling {
    /// The candidate with the fewest insertions, deletions and replacements; if several are equally near, the first.
    static func nearest(to text: String, of candidates: [String]) -> String {
        candidates.min { distance(text, $0) < distance(text, $1) } ?? text
    }

    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        // The distances between the part of `left` read so far and each beginning of `right`.
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
