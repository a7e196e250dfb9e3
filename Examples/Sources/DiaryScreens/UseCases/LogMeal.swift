package import FoodDiaryKit
import Foundation
import QueryKit
import Terminal

/// Logs and changes entries from what a user typed.
package struct LogMeal: Sendable {
    private let diary: FoodDiary
    private let finder: FindFood

    package init(_ diary: FoodDiary) {
        self.diary = diary
        finder = FindFood(diary)
    }

    /// Logs a meal. Nutrients come from the diary's ingredients, unless the user gives them.
    package func log(_ words: FoodWords, _ circumstances: DiaryCommand.Circumstances) async throws -> FoodEntry {
        try await diary.client.mutate(LogFood(), with: try await draft(words, circumstances))
    }

    /// Changes the parts of an entry that the user gave.
    package func edit(
        _ entry: FoodEntry,
        amount: FoodAmount?,
        name: String?,
        _ circumstances: DiaryCommand.Circumstances
    ) async throws -> FoodEntry {
        var draft = entry.draft
        var ingredient = try await self.ingredient(of: entry)
        if let name {
            draft.name = name
            draft.food = .unlisted
            if case .one(let found) = try await finder.find(name), found.name.lowercased() == name.lowercased() {
                ingredient = found
                draft.food = .ingredient(found.id)
                draft.name = found.name
                draft.nutrients = found.nutrients(in: draft.grams)
            }
        }
        if let amount {
            let grams = try self.grams(amount, of: ingredient, named: draft.name)
            draft.nutrients = Self.nutrients(of: draft, in: grams, ingredient)
            draft.grams = grams
        }
        if let nutrients = circumstances.nutrients { draft.nutrients = nutrients }
        if let confidence = circumstances.confidence { draft.confidence = confidence }
        if let time = circumstances.time { draft.moment = try moment(time) }
        return try await diary.client.mutate(EditEntry(), with: .init(entry, to: draft))
    }

    /// The nutrients of another amount. If the draft has the nutrients of the ingredient, computes them from the ingredient again: scaling
    /// the rounded values of a small amount, such as a tenth of a gram, would enlarge the rounding errors.
    private static func nutrients(of draft: FoodEntry.Draft, in grams: Double, _ ingredient: Ingredient?) -> Nutrients {
        if let ingredient, draft.nutrients == ingredient.nutrients(in: draft.grams) { return ingredient.nutrients(in: grams) }
        return draft.nutrients.scaled(by: grams / draft.grams)
    }

    /// The entry that would be logged.
    package func draft(_ words: FoodWords, _ circumstances: DiaryCommand.Circumstances) async throws -> FoodEntry.Draft {
        let moment = try circumstances.time.map { try self.moment($0) } ?? now
        let confidence = circumstances.confidence ?? 1
        switch try await finder.find(words.name) {
        case .one(let ingredient) where circumstances.nutrients == nil:
            let grams = try grams(words.amount, of: ingredient, named: ingredient.name)
            return FoodEntry.Draft(ingredient, grams: grams, at: moment, confidence: confidence)
        case .several(let found) where circumstances.nutrients == nil: throw AmbiguousFood(name: words.name, candidates: found)
        case let answer:
            guard let nutrients = circumstances.nutrients else {
                throw CommandError(
                    "No ingredient is called \"\(words.name)\" or similar; give its energy: food-diary log \"\(words.name)\" 100g --kcal 250"
                )
            }
            let ingredient: Ingredient? = if case .one(let found) = answer { found } else { nil }
            let grams = try grams(words.amount, of: ingredient, named: words.name)
            // Nutrients given by the user belong to the food as they named it, which may differ from the ingredient in the diary.
            return FoodEntry.Draft(name: words.name, grams: grams, nutrients: nutrients, at: moment, confidence: confidence)
        }
    }

    private var now: FoodMoment { FoodMoment(diary.client.context.clock.date, in: diary.client.context.timeZone) }

    private func moment(_ word: MomentWord) throws -> FoodMoment {
        try word.moment(now: diary.client.context.clock.date, in: diary.client.context.timeZone)
    }

    private func ingredient(of entry: FoodEntry) async throws -> Ingredient? {
        guard let id = entry.ingredientID else { return nil }
        return try await diary.fetchIngredientsByIds([id]).first
    }

    private func grams(_ amount: FoodAmount, of ingredient: Ingredient?, named name: String) throws -> Double {
        let grams: Double
        if case .grams(let weight) = amount {
            grams = weight
        } else {
            guard let ingredient else { throw CommandError("The diary has no portions of \(name); give its weight, such as: 60g") }
            grams = try amount.grams(of: ingredient)
        }
        guard FoodAmount.bounds.contains(grams) else {
            let said = FoodAmount.isReadable(grams) ? "\(Number.short(grams, digits: 3)) g" : "The amount"
            throw UsageError("\(said) is out of range; an amount must be between 0.1 and 5,000 g.")
        }
        return grams
    }
}
