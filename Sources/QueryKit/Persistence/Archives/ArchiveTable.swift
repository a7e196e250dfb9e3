/// Entries by key and by the text of their paths, so that the cost of a pattern depends on the number of matches. A pure value.
struct ArchiveTable {
    private typealias Row = (key: QueryCacheKey, entry: QueryCacheEntry)

    private var rows: [Row?] = []
    private var vacant: [UInt32] = []
    private var numbers: [QueryCacheKey: UInt32] = [:]
    private var paths = PathIndex()

    var isEmpty: Bool { numbers.isEmpty }

    /// Adds an entry, unless there is a newer one for its key.
    mutating func add(_ entry: QueryCacheEntry, _ key: QueryCacheKey) {
        if let number = numbers[key] {
            if let known = rows[Int(number)]?.entry, known.date <= entry.date { rows[Int(number)] = (key, entry) }
            return
        }
        let number = vacant.popLast() ?? UInt32(rows.count)
        if number == rows.count { rows.append((key, entry)) } else { rows[Int(number)] = (key, entry) }
        numbers[key] = number
        paths.insert(number, at: QueryPath(key.path))
    }

    /// The entry for a key, which stays in the table.
    func entry(_ key: QueryCacheKey) -> QueryCacheEntry? { numbers[key].flatMap { rows[Int($0)]?.entry } }

    /// Removes and returns an entry; `nil` if there is none.
    mutating func take(_ key: QueryCacheKey) -> QueryCacheEntry? {
        guard let number = numbers.removeValue(forKey: key) else { return nil }
        paths.remove(number)
        vacant.append(number)
        defer { rows[Int(number)] = nil }
        return rows[Int(number)]?.entry
    }

    /// The entries whose paths, as text, match a pattern.
    func entries(matching pattern: QueryPattern) -> [QueryClientArchive.Entry] {
        paths.matches(pattern.asText).compactMap { number in
            rows[Int(number)].map { QueryClientArchive.Entry(key: $0.key, value: $0.entry) }
        }
    }

    /// Adds entries after applying some changes to them.
    mutating func add(_ entries: some Sequence<QueryClientArchive.Entry>, after changes: [PatternChange]) {
        guard !changes.isEmpty else {
            for entry in entries { add(entry.value, entry.key) }
            return
        }
        // Put them into a separate table first, in which the cost of a pattern depends on the number of matches.
        var part = ArchiveTable()
        part.add(entries, after: [])
        for change in changes { part.receive(change) }
        add(part.entries(matching: .all), after: [])
    }

    mutating func receive(_ change: PatternChange) {
        switch change {
        case .invalidated(let pattern): invalidate(pattern)
        case .removed(let pattern): remove(pattern)
        }
    }

    mutating func invalidate(_ pattern: QueryPattern) {
        for number in paths.matches(pattern.asText) { rows[Int(number)]?.entry.isInvalidated = true }
    }

    mutating func remove(_ pattern: QueryPattern) {
        for number in paths.matches(pattern.asText) {
            if let key = rows[Int(number)]?.key { _ = take(key) }
        }
    }
}
