#if canImport(SwiftUI)
    import FoodDiaryKit
    import Foundation
    import SwiftUI

    /// The sheet that adds food: a search, then the amount.
    struct AddFoodView: View {
        @Bindable var model: AddFoodModel

        var body: some View {
            NavigationStack {
                Group {
                    if let ingredient = model.ingredient {
                        AmountForm(model: model, ingredient: ingredient)
                    } else {
                        IngredientResults(search: model.search) { model.choose($0) }
                            .navigationTitle("Add food")
                    }
                }
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) {
                        Button("Cancel") { model.cancel() }
                    }
                }
            }
        }
    }

    /// The amount of the chosen ingredient.
    private struct AmountForm: View {
        @Bindable var model: AddFoodModel
        let ingredient: Ingredient

        var body: some View {
            Form {
                if let problem = model.problem { Text(problem).foregroundStyle(.red) }
                Section {
                    TextField("Amount", value: $model.amount, format: .number)
                    Picker("Unit", selection: $model.unit) {
                        ForEach(model.units) { unit in Text(Words.unit(unit)).tag(unit) }
                    }
                    LabeledContent("Energy", value: Words.energy(model.kilocalories))
                }
                Button("Choose another food") { model.searchAgain() }
            }
            .navigationTitle(ingredient.name)
            .toolbar {
                ToolbarItem(placement: .confirmationAction) {
                    Button("Log") { model.log() }
                }
            }
        }
    }

    struct AddFoodView_Previews: PreviewProvider {
        static var previews: some View {
            SampleView { AddFoodView(model: AddFoodModel(queryClient: $0.today.queryClient) {}) }
        }
    }
#endif
