/// Where entries are kept. A use case knows no more of the storage than this.
protocol FoodEntryRepository: Sendable {
    func entries(on day: Day) async throws -> [FoodEntry]
    func add(_ entry: FoodEntry) async throws
}

/// The storage can not be reached just now.
struct ConnectionLost: Error, CustomStringConvertible {
    var description: String { "connection lost" }
}
