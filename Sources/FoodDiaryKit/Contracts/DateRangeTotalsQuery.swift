public import QueryKit

/// Totals of many days, newest first. Returns within 500 ms for 30 days; values are served from memory for an hour. Days without an entry
/// are left out.
public protocol DateRangeTotalsQuery: Sendable {
    /// The totals of a range of days, at most ten years; for longer ranges use ``totalPages(in:)``.
    func fetchTotals(in days: ClosedRange<FoodDay>) async throws -> [DailyTotal]

    /// The totals of a month.
    func fetchTotals(for month: FoodMonth) async throws -> [DailyTotal]

    /// The totals of a year, from 1 to 9999.
    func fetchTotals(for year: Int) async throws -> [DailyTotal]

    /// The totals of a long range, in pages of 31 days.
    func totalPages(in days: ClosedRange<FoodDay>) -> QueryStore<
        QueryState<QueryPages<FoodDay, [DailyTotal]>?, QueryPages<FoodDay, [DailyTotal]>>
    >
}
