public import FoodDiaryKit
import QueryKit

extension FoodDiarySample {
    /// The number of ingredients that are eaten.
    private static let eaten = 3_000

    /// Imports the ingredients, then entries for those with the lowest keys.
    ///
    /// Each of the two imports either completes or has no effect. Cancelling undoes the one in progress.
    ///
    /// - Parameters:
    ///   - ingredients: The repository for the ingredients.
    ///   - entries: The repository for the entries.
    ///   - progress: Called with the number of items imported and their total, counting ingredients and entries together.
    public func fill(
        _ ingredients: any IngredientRepository,
        _ entries: any FoodEntryRepository,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws {
        let total = ingredientCount + entryCount
        let progressed = Lock(0)
        let tell = { @Sendable (count: Int) in
            let done = progressed.withLock { done in
                done += count
                return done
            }
            progress(done, total)
        }
        try Task.checkCancellation()
        let drafts = Lock(self.ingredients())
        _ = try await ingredients.importIngredients {
            let batch = drafts.withLock { $0.next() }
            tell(batch?.count ?? 0)
            return batch
        }
        try Task.checkCancellation()
        var eaten: [Ingredient] = []
        while eaten.count < Self.eaten {
            let page = try await ingredients.ingredients(after: eaten.last?.id, limit: 500)
            eaten += page
            if page.count < 500 { break }
        }
        let meals = Lock(self.entries(of: eaten))
        _ = try await entries.importEntries {
            let batch = meals.withLock { $0.next() }
            tell(batch?.count ?? 0)
            return batch
        }
    }
}
