#if canImport(SwiftUI)
    import FoodDiaryKit
    import Foundation
    import SwiftUI

    /// A week or a month: the energy of each day, the average, and what was eaten most.
    struct TrendsView: View {
        @Bindable var model: TrendsModel

        var body: some View {
            NavigationStack {
                List {
                    if let problem = model.problem {
                        ProblemRow(text: problem) { Task { await model.refresh() } }
                    }
                    Picker("Span", selection: $model.span) {
                        ForEach(TrendSpan.allCases) { span in
                            Text(span.rawValue.capitalized).tag(span)
                        }
                    }
                    .pickerStyle(.segmented)
                    if let trend = model.trend { TrendRows(trend: trend) }
                }
                .foregroundStyle(model.isOutdated ? .secondary : .primary)
                .overlay { if model.showsSpinner { ProgressView() } }
                .refreshable { await model.refresh() }
                .navigationTitle("Trends")
                .toolbar {
                    ToolbarItem(placement: .navigation) {
                        Button("Earlier", systemImage: "chevron.backward") { model.goBack() }
                    }
                    ToolbarItem(placement: .primaryAction) {
                        Button("Later", systemImage: "chevron.forward") { model.goForward() }
                            .disabled(!model.canGoForward)
                    }
                }
            }
        }
    }

    private struct TrendRows: View {
        let trend: Trend

        var body: some View {
            Section(Words.days(trend)) {
                if let average = trend.average {
                    LabeledContent("Average", value: Words.energy(average.kilocalories))
                } else {
                    Text("Nothing was logged.")
                }
                ForEach(trend.days) { day in
                    ProgressView(value: day.kilocalories, total: max(trend.highest, 1)) {
                        LabeledContent(Words.day(day.day), value: Words.energy(day.kilocalories))
                    }
                }
            }
            if !trend.favorites.isEmpty {
                Section("Eaten most") {
                    ForEach(trend.favorites) { food in
                        LabeledContent(food.name, value: "\(food.entryCount) ×")
                    }
                }
            }
        }
    }

    struct TrendsView_Previews: PreviewProvider {
        static var previews: some View {
            SampleView { TrendsView(model: $0.trends) }
        }
    }
#endif
