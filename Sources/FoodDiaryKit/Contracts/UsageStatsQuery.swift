/// How somebody uses the diary. Answers within two seconds, behind what others wait for; always as the diary is now.
public protocol UsageStatsQuery: Sendable {
    /// How many entries there are.
    func totalEntries(in days: ClosedRange<FoodDay>) async throws -> Int

    /// How sure they are on the whole, from 0 to 1; `nil` if there is none.
    func averageConfidence(in days: ClosedRange<FoodDay>) async throws -> Double?

    /// How many there are at each hour of the day: 24 numbers, the first for the hour after midnight.
    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int]
}
