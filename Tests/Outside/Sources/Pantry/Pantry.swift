import FoodDiaryKit

/// Keeps a diary in memory.
@main struct Pantry {
    static func main() async throws {
        let diary = InMemoryFoodDiary()
        for name in ["Rice", "Oats"] {
            _ = try await diary.save(Ingredient.Draft(name: name, nutrients: .zero), as: nil, correctingHistory: false)
        }
        print(try await diary.popularIngredients(limit: 5).map(\.name).joined(separator: ", "))
    }
}
