import QueryKit

/// One name or alias of an ingredient, split into words for comparison.
struct SearchName: Sendable {
    let words: [SearchWord]
    /// The whole text of a name without words, such as an emoji; otherwise empty.
    let text: String

    private init(_ bytes: UnsafeBufferPointer<UInt8>) {
        words = SearchText.words(of: bytes)
        text = words.isEmpty ? String(decoding: bytes, as: UTF8.self) : ""
    }

    /// Splits the name itself, then the aliases, one per line.
    static func all(_ name: String, aliases: String) -> [SearchName] {
        var (name, aliases) = (name, aliases)
        var names = name.withUTF8 { [SearchName($0)] }
        aliases.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                if end > start { names.append(SearchName(UnsafeBufferPointer(rebasing: bytes[start..<end]))) }
                start = end + 1
            }
        }
        return names
    }
}

/// Caches the words of recent search candidates.
///
/// Each letter a user types compares many of the same ingredients again, and splitting names into words takes longer than comparing them.
package final class NameWords: Sendable {
    fileprivate struct Entry {
        let name: String
        let aliases: String
        let names: [SearchName]
    }

    fileprivate struct State {
        var recent: [Ingredient.ID: Entry] = [:]
        /// The previous generation. An entry that is used again moves back to `recent`.
        var older: [Ingredient.ID: Entry] = [:]
    }

    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: The maximum number of ingredients in each of the two generations. An ingredient takes about a kilobyte.
    package init(limit: Int = 1_024) { self.limit = limit }

    var known: Set<Ingredient.ID> { state.withLock { Set($0.recent.keys).union($0.older.keys) } }

    /// Returns the names of an ingredient as words. If the names have changed since they were cached, splits them again.
    func names(of id: Ingredient.ID, _ name: String, aliases: String) -> [SearchName] {
        if let names = state.withLock({ $0.names(of: id, name, aliases: aliases, limit: limit) }) { return names }
        let entry = Entry(name: name, aliases: aliases, names: SearchName.all(name, aliases: aliases))
        state.withLock { $0.note(entry, of: id, limit: limit) }
        return entry.names
    }
}

extension NameWords.State {
    fileprivate mutating func names(of id: Ingredient.ID, _ name: String, aliases: String, limit: Int) -> [SearchName]? {
        if let entry = recent[id] { return entry.isOf(name, aliases) ? entry.names : nil }
        guard let entry = older[id], entry.isOf(name, aliases) else { return nil }
        note(entry, of: id, limit: limit)
        return entry.names
    }

    fileprivate mutating func note(_ entry: NameWords.Entry, of id: Ingredient.ID, limit: Int) {
        older[id] = nil
        recent[id] = entry
        if recent.count >= limit { (older, recent) = (recent, [:]) }
    }
}

extension NameWords.Entry {
    fileprivate func isOf(_ name: String, _ aliases: String) -> Bool { self.name == name && self.aliases == aliases }
}
