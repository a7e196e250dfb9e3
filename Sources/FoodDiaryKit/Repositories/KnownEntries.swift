/// The entries that a diary has on some days, each as a hash with a count, so that two copies of an entry count as two entries.
package struct KnownEntries: Sendable {
    private var counts: [Int: Int] = [:]
    private var days: Set<FoodDay> = []

    package init() {}

    init(in days: ClosedRange<FoodDay>, of repository: any FoodEntryRepository) async throws {
        var last: FoodEntry.Position?
        while true {
            try Task.checkCancellation()
            let page = try await repository.entries(in: days, below: last, limit: 1000)
            add(page)
            last = page.last?.position
            if page.count < 1000 { return }
        }
    }

    private mutating func add(_ entries: [FoodEntry]) {
        for entry in entries { counts[Self.mark(of: entry.draft), default: 0] += 1 }
    }

    var isEmpty: Bool { counts.isEmpty }

    /// Like ``take(_:)``, but reads the entries of a day only when the first draft of that day is passed.
    package mutating func take(_ draft: FoodEntry.Draft, of entries: (FoodDay) throws -> [FoodEntry]) rethrows -> Bool {
        let day = draft.moment.day
        if days.insert(day).inserted { add(try entries(day)) }
        return take(draft)
    }

    /// Takes an entry equal to the draft; returns `false` if there is none left.
    mutating func take(_ draft: FoodEntry.Draft) -> Bool {
        let mark = Self.mark(of: draft)
        guard let count = counts[mark] else { return false }
        counts[mark] = count > 1 ? count - 1 : nil
        return true
    }

    private static func mark(of draft: FoodEntry.Draft) -> Int {
        var hasher = Hasher()
        hasher.combine(draft.moment)
        hasher.combine(draft.name)
        hasher.combine(draft.nutrients)
        hasher.combine(Nutrients.rounded(draft.grams))
        hasher.combine(Nutrients.rounded(draft.confidence))
        return hasher.finalize()
    }
}
