/// What somebody changes of an entry: where their draft differs from the entry as they have seen it.
///
/// Decided in the transaction that writes: by then somebody else, such as another process, may have changed something else of the entry, and that stays.
package struct EntryEdit: Sendable {
    let seen: FoodEntry
    private let draft: FoodEntry.Draft

    /// Throws a ``FoodDiaryError`` if the draft describes no entry.
    package init(of seen: FoodEntry, to draft: FoodEntry.Draft) throws {
        self.seen = seen
        self.draft = try draft.validated()
    }

    /// The entry as it is to be.
    ///
    /// - Parameters:
    ///   - entry: The entry as it is now.
    ///   - find: Finds the ingredient that a draft speaks of.
    package func applied(to entry: FoodEntry, _ find: (FoodEntry.Draft.Food) throws -> Ingredient.ID?) throws -> FoodEntry {
        // An ingredient that nobody changes is not looked up: it may have been deleted since.
        let found = draft.food == seen.draft.food ? seen.ingredientID : try find(draft.food)
        let isOtherFood = found != seen.ingredientID
        let isOtherAmount = draft.nutrients != seen.nutrients || Nutrients.rounded(draft.grams) != Nutrients.rounded(seen.grams)
        // What is in an amount of some food is not what is in one of another.
        let isWhole = isOtherFood || isOtherAmount && entry.ingredientID != seen.ingredientID
        let ingredientID = isOtherFood ? found : isWhole ? try seenIngredient(find) : entry.ingredientID
        let isOtherConfidence = Nutrients.rounded(draft.confidence) != Nutrients.rounded(seen.confidence)
        return FoodEntry(
            id: entry.id,
            name: isWhole || draft.name != seen.name ? draft.name : entry.name,
            ingredientID: ingredientID,
            grams: isWhole || isOtherAmount ? draft.grams : entry.grams,
            nutrients: isWhole || isOtherAmount ? draft.nutrients : entry.nutrients,
            moment: draft.moment != seen.moment ? draft.moment : entry.moment,
            confidence: isOtherConfidence ? draft.confidence : entry.confidence
        )
    }

    /// The ingredient that the entry had, if it is still there.
    private func seenIngredient(_ find: (FoodEntry.Draft.Food) throws -> Ingredient.ID?) throws -> Ingredient.ID? {
        do { return try find(seen.draft.food) } catch is FoodDiaryError { return nil }
    }
}
