/// Entries of past days, newest first. Returns within 200 ms for one day; values are served from memory for an hour.
public protocol HistoricalEntriesQuery: Sendable {
    /// The entries of a day.
    func fetchEntries(for day: FoodDay) async throws -> [FoodEntry]

    /// The entries of a range of days: at most 366 days and 50,000 entries.
    func fetchEntries(in days: ClosedRange<FoodDay>) async throws -> [FoodEntry]

    /// The newest entries of the whole diary.
    func fetchRecentEntries(limit: Int) async throws -> [FoodEntry]

    /// The summary of a range of days, for callers that don't need the entries themselves.
    func fetchSummary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary
}
