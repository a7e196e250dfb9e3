public import QueryKit

/// Totals of many days, newest first. Answers within 500 ms for 30 days, from memory for an hour. Days without an entry are left out.
public protocol DateRangeTotalsQuery: Sendable {
    /// The totals of some days, at most ten years of them; for more see ``totalPages(in:)``.
    func fetchTotals(in days: ClosedRange<FoodDay>) async throws -> [DailyTotal]

    /// The totals of a month.
    func fetchTotals(for month: FoodMonth) async throws -> [DailyTotal]

    /// The totals of a year, from 1 to 9999.
    func fetchTotals(for year: Int) async throws -> [DailyTotal]

    /// The totals of a long time, a page for each 31 days.
    func totalPages(in days: ClosedRange<FoodDay>) -> QueryStore<
        QueryState<QueryPages<FoodDay, [DailyTotal]>?, QueryPages<FoodDay, [DailyTotal]>>
    >
}
