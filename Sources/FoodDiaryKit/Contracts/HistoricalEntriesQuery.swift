/// What was eaten on other days, newest first. Answers within 200 ms a day, from memory for an hour.
public protocol HistoricalEntriesQuery: Sendable {
    /// The entries of a day.
    func fetchEntries(for day: FoodDay) async throws -> [FoodEntry]

    /// The entries of some days, at most 366 of them and 50,000 entries.
    func fetchEntries(in days: ClosedRange<FoodDay>) async throws -> [FoodEntry]

    /// The newest entries of all.
    func fetchRecentEntries(limit: Int) async throws -> [FoodEntry]

    /// What some days come to, for those who want no single entries.
    func fetchSummary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary
}
