#if canImport(SwiftUI)
    import FoodDiaryKit
    import Foundation
    import SwiftUI

    /// The form of one ingredient.
    struct IngredientFormView: View {
        @Bindable var model: IngredientFormModel

        var body: some View {
            NavigationStack {
                Form {
                    if let problem = model.problem { Text(problem).foregroundStyle(.red) }
                    Section {
                        TextField("Name", text: $model.name)
                        Picker("Category", selection: $model.category) {
                            ForEach(IngredientCategory.known, id: \.rawValue) { category in
                                Text(category.rawValue.capitalized).tag(category)
                            }
                        }
                    }
                    Section("In 100 g") {
                        AmountField(name: "Energy (kcal)", amount: $model.kilocalories)
                        AmountField(name: "Protein (g)", amount: $model.protein)
                        AmountField(name: "Carbohydrates (g)", amount: $model.carbohydrates)
                        AmountField(name: "Fat (g)", amount: $model.fat)
                    }
                    if model.canCorrectHistory {
                        Toggle("Correct earlier entries", isOn: $model.correctsHistory)
                    }
                }
                .disabled(model.isSaving)
                .navigationTitle(model.isNew ? "New ingredient" : model.name)
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) {
                        Button("Cancel") { model.cancel() }
                    }
                    ToolbarItem(placement: .confirmationAction) {
                        Button("Save") { Task { await model.save() } }
                            .disabled(model.isSaving)
                    }
                }
            }
        }
    }

    private struct AmountField: View {
        let name: String
        @Binding var amount: Double

        var body: some View {
            LabeledContent(name) {
                TextField(name, value: $amount, format: .number)
            }
        }
    }

    struct IngredientFormView_Previews: PreviewProvider {
        static var previews: some View {
            SampleView {
                IngredientFormView(
                    model: IngredientFormModel(nil, queryClient: $0.today.queryClient) {}
                )
            }
        }
    }
#endif
