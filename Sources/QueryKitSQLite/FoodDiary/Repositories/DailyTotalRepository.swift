/// Where the totals of days are kept, which change with each entry.
public protocol DailyTotalRepository: Sendable {
    /// The total of a day; an empty one if nothing was eaten.
    func total(on day: FoodDay) async throws -> DailyTotal

    /// The totals of days on which something was eaten, newest first.
    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal]

    /// Makes the totals of some days anew from their entries, and answers with the days whose total was wrong.
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay]
}
