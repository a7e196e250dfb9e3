package import FoodDiaryKit
import Observation
package import QueryKit

/// Edits an ingredient, or adds a new one. The form closes when the ingredient is saved, and
/// otherwise says why it isn't.
@MainActor @Observable
package final class IngredientFormModel: QueryModel, Identifiable {
    package let queryClient: QueryClient
    package var name: String
    package var category: IngredientCategory
    package var kilocalories: Double
    package var protein: Double
    package var carbohydrates: Double
    package var fat: Double
    /// Whether entries that were logged before get the new nutrients.
    package var correctsHistory = false
    package private(set) var problem: String?

    @ObservationIgnored @SharedMutation(SaveIngredient()) private var saving
    @ObservationIgnored private let ingredient: Ingredient?
    @ObservationIgnored private let close: @MainActor () -> Void

    /// - Parameters:
    ///   - ingredient: The ingredient to edit; `nil` for a new one.
    ///   - close: Closes the form.
    package init(
        _ ingredient: Ingredient?,
        queryClient: QueryClient,
        close: @escaping @MainActor () -> Void
    ) {
        self.queryClient = queryClient
        self.ingredient = ingredient
        self.close = close
        name = ingredient?.name ?? ""
        category = ingredient?.category ?? .other
        let nutrients = ingredient?.nutrients ?? .zero
        (kilocalories, protein) = (nutrients.kilocalories, nutrients.protein)
        (carbohydrates, fat) = (nutrients.carbohydrates, nutrients.fat)
    }

    package var isNew: Bool { ingredient == nil }
    package var isSaving: Bool { saving.isLoading }

    /// Only entries of an existing ingredient can be corrected.
    package var canCorrectHistory: Bool { (ingredient?.usageCount ?? 0) > 0 }

    package func cancel() { close() }

    package func save() async {
        problem = nil
        do {
            try await saving.mutate(
                with: .init(draft, as: ingredient?.id, correctingHistory: correctsHistory)
            )
            close()
        } catch {
            problem = "\(error)"
        }
    }

    /// What the form doesn't show, such as portions and fiber, stays as it is.
    private var draft: Ingredient.Draft {
        let old = ingredient?.nutrients ?? .zero
        let nutrients = Nutrients(
            kilocalories: kilocalories,
            protein: protein,
            carbohydrates: carbohydrates,
            fat: fat,
            fiber: old.fiber,
            sugar: old.sugar,
            salt: old.salt
        )
        var draft = ingredient?.draft ?? Ingredient.Draft(name: name, nutrients: nutrients)
        (draft.name, draft.category, draft.nutrients) = (name, category, nutrients)
        return draft
    }
}
