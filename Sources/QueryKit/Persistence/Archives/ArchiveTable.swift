/// Entries by key and by the text of their paths, so that the cost of a pattern depends on the number of matches. A pure value.
struct ArchiveTable {
    private typealias Slot = (key: QueryCacheKey, entry: QueryCacheEntry)

    private var slots: [Slot?] = []
    private var vacant: [UInt32] = []
    private var places: [QueryCacheKey: UInt32] = [:]
    private var paths = PathIndex()

    var isEmpty: Bool { places.isEmpty }

    /// Adds an entry, unless there is a newer one for its key.
    mutating func add(_ entry: QueryCacheEntry, _ key: QueryCacheKey) {
        if let place = places[key] {
            if let known = slots[Int(place)]?.entry, known.date <= entry.date { slots[Int(place)] = (key, entry) }
            return
        }
        let place = vacant.popLast() ?? UInt32(slots.count)
        if place == slots.count { slots.append((key, entry)) } else { slots[Int(place)] = (key, entry) }
        places[key] = place
        paths.insert(place, at: QueryPath(key.path))
    }

    /// The entry for a key, which stays in the table.
    func entry(_ key: QueryCacheKey) -> QueryCacheEntry? { places[key].flatMap { slots[Int($0)]?.entry } }

    /// Removes and returns an entry; `nil` if there is none.
    mutating func take(_ key: QueryCacheKey) -> QueryCacheEntry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        paths.remove(place)
        vacant.append(place)
        defer { slots[Int(place)] = nil }
        return slots[Int(place)]?.entry
    }

    /// The entries whose paths, as text, match a pattern.
    func entries(matching pattern: QueryPattern) -> [QueryClientArchive.Entry] {
        paths.matches(pattern.asText).compactMap { place in
            slots[Int(place)].map { QueryClientArchive.Entry(key: $0.key, value: $0.entry) }
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
        for change in changes { part.hear(change) }
        add(part.entries(matching: .all), after: [])
    }

    mutating func hear(_ change: PatternChange) {
        switch change {
        case .invalidated(let pattern): invalidate(pattern)
        case .removed(let pattern): remove(pattern)
        }
    }

    mutating func invalidate(_ pattern: QueryPattern) {
        for place in paths.matches(pattern.asText) { slots[Int(place)]?.entry.isInvalidated = true }
    }

    mutating func remove(_ pattern: QueryPattern) {
        for place in paths.matches(pattern.asText) {
            if let key = slots[Int(place)]?.key { _ = take(key) }
        }
    }
}
