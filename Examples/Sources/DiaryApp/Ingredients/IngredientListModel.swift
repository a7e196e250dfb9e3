package import FoodDiaryKit
import Observation
package import QueryKit

/// The ingredients, searched as the user types, and the form in which one is edited.
@MainActor @Observable
package final class IngredientListModel {
    package let search: IngredientSearch
    /// The form; `nil` while it is closed.
    package var editing: IngredientFormModel?

    private let queryClient: QueryClient

    package init(queryClient: QueryClient) {
        self.queryClient = queryClient
        search = IngredientSearch(queryClient: queryClient)
    }

    package func edit(_ ingredient: Ingredient) { open(ingredient) }

    /// Opens an empty form for a new ingredient.
    package func add() { open(nil) }

    private func open(_ ingredient: Ingredient?) {
        editing = IngredientFormModel(ingredient, queryClient: queryClient) { [weak self] in
            self?.editing = nil
        }
    }
}
