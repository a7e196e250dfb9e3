import QueryKit

/// The entries of a day, at `food/entries/<day>`.
struct EntriesOfDay: QueryRequest {
    let day: Day

    var path: QueryPath { ["food", "entries", day] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<[FoodEntry]>) async throws -> [FoodEntry] {
        try await context.listFoodEntries.entries(on: day)
    }
}

/// The energy of a day, at `food/energy/<day>`.
struct EnergyOfDay: QueryRequest {
    let day: Day

    var path: QueryPath { ["food", "energy", day] }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.sumEnergy.kilocalories(on: day)
    }
}
