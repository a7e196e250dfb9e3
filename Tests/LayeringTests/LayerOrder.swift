/// The order of a module's folders: each names only itself and those of a lower rank.
struct LayerOrder: Equatable {
    /// Folders of one rank stand beside each other and may not name each other either.
    let ranks: [[String]]

    /// Finds the order in a document, on the line that has "First → Second, Third → …"; what stands in parentheses is prose.
    init?(startingWith first: String, in document: String) {
        guard let line = document.split(whereSeparator: \.isNewline).first(where: { $0.contains("\(first) →") }) else { return nil }
        guard let start = line.ranges(of: "\(first) →").first?.lowerBound else { return nil }
        ranks =
            line[start...]
            .replacing(/\([^)]*\)/, with: "")
            .split(separator: "→")
            .map { $0.split(separator: ",").map { String($0.filter { $0.isLetter || $0.isNumber }) } }
    }

    init(_ ranks: [[String]]) {
        self.ranks = ranks
    }

    var folders: [String] {
        ranks.flatMap(\.self)
    }

    func rank(of folder: String) -> Int? {
        ranks.firstIndex { $0.contains(folder) }
    }

    /// Whether a file in one folder may name what another declares.
    func allows(_ folder: String, toName other: String) -> Bool {
        guard let rank = rank(of: folder), let otherRank = self.rank(of: other) else { return false }
        return folder == other || otherRank < rank
    }
}
