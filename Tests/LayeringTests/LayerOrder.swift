/// The order of a module's folders: each names only itself and those of a lower rank.
struct LayerOrder: Equatable {
    /// Folders of the same rank may not name each other either.
    let ranks: [[String]]

    /// Finds the order of a module or folder in a document, on an indented line that begins with its name: "Database  Files → Lanes → …".
    /// Text in parentheses is ignored.
    init?(of name: String, in document: String) {
        let lines = document.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("    ") && $0.contains("→") }
        guard let line = lines.first(where: { $0.split(separator: " ").first.map(String.init) == name }) else { return nil }
        ranks =
            line.drop { $0 == " " }.dropFirst(name.count)
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

    /// Whether a file in one folder may name a declaration of another.
    func allows(_ folder: String, toName other: String) -> Bool {
        guard let rank = rank(of: folder), let otherRank = self.rank(of: other) else { return false }
        return folder == other || otherRank < rank
    }
}
