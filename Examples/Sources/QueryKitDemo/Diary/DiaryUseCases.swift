/// Lists what was eaten on a day.
protocol ListFoodEntries: Sendable {
    func entries(on day: Day) async throws -> [FoodEntry]
}

/// Adds up what was eaten on a day.
protocol SumEnergy: Sendable {
    func kilocalories(on day: Day) async throws -> Int
}

/// Notes something that was eaten.
protocol LogFood: Sendable {
    func log(_ entry: FoodEntry) async throws
}

/// The use cases on top of a repository. They know neither views nor QueryKit.
struct DiaryUseCases: ListFoodEntries, SumEnergy, LogFood {
    let repository: any FoodEntryRepository

    /// The entries of a day, the richest first.
    func entries(on day: Day) async throws -> [FoodEntry] {
        try await repository.entries(on: day).sorted { $0.kilocalories > $1.kilocalories }
    }

    func kilocalories(on day: Day) async throws -> Int {
        try await repository.entries(on: day).reduce(0) { $0 + $1.kilocalories }
    }

    func log(_ entry: FoodEntry) async throws { try await repository.add(entry) }
}
