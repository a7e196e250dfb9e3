/// Where the totals of days are kept, which change with each entry; and whoever looks after all that is kept beside entries.
public protocol DailyTotalRepository: Sendable {
    /// The total of a day; an empty one if nothing was eaten.
    func total(on day: FoodDay) async throws -> DailyTotal

    /// The totals of days on which something was eaten, newest first.
    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal]

    /// Makes the totals of some days anew from their entries, and answers with the days whose total was wrong.
    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay]

    /// Compares all that is kept beside entries and ingredients with these, of all days and at one moment; changes nothing.
    ///
    /// That is totals, hours, uses, and the index for searches. It looks at each entry: seconds for a million. Cancelling the task stops it.
    func check() async throws -> FoodDiaryCheck

    /// Makes all of that anew, whatever is there: all or nothing, also when the task is cancelled.
    func rebuild() async throws
}
