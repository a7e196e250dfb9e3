#if canImport(SwiftUI)
    import SwiftUI

    /// The ingredients of the diary, with a search and a form.
    struct IngredientListView: View {
        @Bindable var model: IngredientListModel

        var body: some View {
            NavigationStack {
                IngredientResults(search: model.search) { model.edit($0) }
                    .navigationTitle("Ingredients")
                    .toolbar {
                        ToolbarItem(placement: .primaryAction) {
                            Button("Add ingredient", systemImage: "plus") { model.add() }
                        }
                    }
                    .sheet(item: $model.editing) { IngredientFormView(model: $0) }
            }
        }
    }

    struct IngredientListView_Previews: PreviewProvider {
        static var previews: some View {
            SampleView { IngredientListView(model: $0.ingredients) }
        }
    }
#endif
