/// Stores the totals of days. Also checks and repairs all data that is derived from entries and ingredients.
public protocol DailyTotalRepository: Sendable {
    /// The total of a day; an empty one if the day has no entries.
    func total(on day: FoodDay) async throws -> DailyTotal

    /// The totals of days with entries, newest first.
    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal]

    /// Recomputes the totals of a range of days from their entries, and returns the days whose total was wrong.
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay]

    /// Compares all derived data with the entries and ingredients, for all days and at one moment, without changing anything.
    ///
    /// Derived data are totals, counts by hour, usage counts, and the search index. The check reads every entry, which takes seconds for a
    /// million entries. Cancel the task to stop it.
    func check() async throws -> FoodDiaryCheck

    /// Rebuilds all derived data. If the task is cancelled, nothing is changed.
    func rebuild() async throws
}
