#if canImport(SwiftUI)
    import FoodDiaryKit
    import SwiftUI

    /// A search field and the ingredients that it finds. A tap chooses one.
    struct IngredientResults: View {
        @Bindable var search: IngredientSearch
        let onChoose: @MainActor (Ingredient) -> Void

        var body: some View {
            List {
                if let problem = search.problem {
                    ProblemRow(text: problem) { Task { await search.refresh() } }
                }
                ForEach(search.results) { ingredient in
                    Button {
                        onChoose(ingredient)
                    } label: {
                        LabeledContent(
                            ingredient.name,
                            value: Words.energy(ingredient.nutrients.kilocalories)
                        )
                    }
                    .foregroundStyle(search.isOutdated ? .secondary : .primary)
                }
            }
            .overlay {
                if search.showsSpinner {
                    ProgressView()
                } else if search.hasNoResults {
                    ContentUnavailableView("No food found", systemImage: "magnifyingglass")
                }
            }
            .searchable(text: $search.text, prompt: "Search")
            .refreshable { await search.refresh() }
        }
    }
#endif
