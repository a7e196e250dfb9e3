/// The entries that a diary has on some days, each as one number: two copies of an entry are two.
struct KnownEntries: Sendable {
    private var counts: [Int: Int] = [:]

    init() {}

    init(in days: ClosedRange<FoodDay>, of repository: any FoodEntryRepository) async throws {
        var last: FoodEntry.Position?
        while true {
            try Task.checkCancellation()
            let page = try await repository.entries(in: days, below: last, limit: 1000)
            for entry in page { counts[Self.mark(of: entry.draft), default: 0] += 1 }
            last = page.last?.position
            if page.count < 1000 { return }
        }
    }

    var isEmpty: Bool { counts.isEmpty }

    /// Whether there is such an entry that was not taken before.
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
