/// An edit of an entry: the difference between a draft and the entry as the user saw it.
///
/// Applied in the transaction that writes. Another process may have changed other parts of the entry by then; those are kept.
package struct EntryEdit: Sendable {
    let seen: FoodEntry
    private let draft: FoodEntry.Draft

    /// Throws a ``FoodDiaryError`` if the draft is invalid.
    package init(of seen: FoodEntry, to draft: FoodEntry.Draft) throws {
        self.seen = seen
        self.draft = try draft.validated()
    }

    /// Returns the entry with the edit applied.
    ///
    /// - Parameters:
    ///   - entry: The current entry.
    ///   - find: Finds the ingredient of a draft.
    package func applied(to entry: FoodEntry, _ find: (FoodEntry.Draft.Food) throws -> Ingredient.ID?) throws -> FoodEntry {
        // An unchanged ingredient is not looked up, because it may have been deleted since.
        let found = draft.food == seen.draft.food ? seen.ingredientID : try find(draft.food)
        let isOtherFood = found != seen.ingredientID
        let isOtherAmount = draft.nutrients != seen.nutrients || Nutrients.rounded(draft.grams) != Nutrients.rounded(seen.grams)
        // Nutrients and name belong to one food, so an amount of another food can't be combined with them.
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

    /// The ingredient of the entry as it was seen, if it still exists.
    private func seenIngredient(_ find: (FoodEntry.Draft.Food) throws -> Ingredient.ID?) throws -> Ingredient.ID? {
        do { return try find(seen.draft.food) } catch is FoodDiaryError { return nil }
    }
}
