/// Statistics about how the diary is used. Returns within two seconds, at lower priority than other reads, and always reads the diary.
public protocol UsageStatsQuery: Sendable {
    /// The number of entries.
    func totalEntries(in days: ClosedRange<FoodDay>) async throws -> Int

    /// The average confidence of the entries, from 0 to 1; `nil` if there are no entries.
    func averageConfidence(in days: ClosedRange<FoodDay>) async throws -> Double?

    /// The number of entries in each hour of the day: 24 numbers, starting with the hour after midnight.
    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int]
}
