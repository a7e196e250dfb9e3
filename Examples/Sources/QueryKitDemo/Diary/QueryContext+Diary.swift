import QueryKit

/// The seam between use cases and requests: a request finds its use case here, and a test puts another one in its place.
extension QueryContext {
    private enum ListFoodEntriesKey: Key {
        static let defaultValue: any ListFoodEntries = NoDiary()
    }

    private enum SumEnergyKey: Key {
        static let defaultValue: any SumEnergy = NoDiary()
    }

    var listFoodEntries: any ListFoodEntries {
        get { self[ListFoodEntriesKey.self] }
        set { self[ListFoodEntriesKey.self] = newValue }
    }

    var sumEnergy: any SumEnergy {
        get { self[SumEnergyKey.self] }
        set { self[SumEnergyKey.self] = newValue }
    }
}

/// What a context has that was given no diary: nothing was eaten.
private struct NoDiary: ListFoodEntries, SumEnergy {
    func entries(on day: Day) async throws -> [FoodEntry] { [] }
    func kilocalories(on day: Day) async throws -> Int { 0 }
}
