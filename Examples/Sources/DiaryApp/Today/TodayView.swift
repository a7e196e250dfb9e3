#if canImport(SwiftUI)
    import FoodDiaryKit
    import SwiftUI

    /// Today's entries and their total, with a button that adds food.
    struct TodayView: View {
        @Bindable var model: TodayModel

        var body: some View {
            NavigationStack {
                List {
                    if let problem = model.problem {
                        ProblemRow(text: problem) { model.retry() }
                    }
                    Section("Total") {
                        TotalRows(nutrients: model.nutrients, balance: model.balance)
                    }
                    Section("Eaten") {
                        ForEach(model.entries) { entry in
                            EntryRow(entry: entry)
                                .swipeActions {
                                    Button("Delete", role: .destructive) { model.delete(entry) }
                                        .disabled(entry.isProvisional)
                                }
                        }
                    }
                }
                .overlay {
                    if model.showsSpinner {
                        ProgressView()
                    } else if model.isEmpty {
                        ContentUnavailableView("Nothing eaten yet", systemImage: "fork.knife")
                    }
                }
                .refreshable { await model.refresh() }
                .navigationTitle("Today")
                .toolbar {
                    ToolbarItem(placement: .primaryAction) {
                        Button("Add food", systemImage: "plus") { model.startAdding() }
                    }
                }
                .sheet(item: $model.adding) { AddFoodView(model: $0) }
            }
        }
    }

    /// The energy against the goal, and the nutrients.
    private struct TotalRows: View {
        let nutrients: Nutrients
        let balance: EnergyBalance

        var body: some View {
            ProgressView(value: balance.progress) {
                Text("\(Words.energy(balance.eaten)) of \(Words.energy(balance.goal))")
            }
            LabeledContent("Protein", value: Words.grams(nutrients.protein))
            LabeledContent("Carbohydrates", value: Words.grams(nutrients.carbohydrates))
            LabeledContent("Fat", value: Words.grams(nutrients.fat))
        }
    }

    private struct EntryRow: View {
        let entry: FoodEntry

        var body: some View {
            LabeledContent {
                Text(Words.energy(entry.nutrients.kilocalories))
            } label: {
                Text(entry.name)
                Text(Words.grams(entry.grams)).font(.caption)
            }
            // Until the diary has written it.
            .foregroundStyle(entry.isProvisional ? .secondary : .primary)
        }
    }

    struct TodayView_Previews: PreviewProvider {
        static var previews: some View {
            SampleView { TodayView(model: $0.today) }
            SampleView(days: 0) { TodayView(model: $0.today) }
        }
    }
#endif
