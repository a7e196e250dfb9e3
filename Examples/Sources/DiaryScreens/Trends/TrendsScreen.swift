package import FoodDiaryKit
package import Terminal

/// Energy and macronutrients over a range of days, and the ingredients eaten most.
package struct TrendsScreen: Hashable, Sendable, TextScreen {
    package let days: ClosedRange<FoodDay>
    package let totals: [DailyTotal]
    package let averageEnergy: Double?
    package let averageMacros: Macronutrients?
    package let most: [IngredientConsumption]

    package init(
        days: ClosedRange<FoodDay>,
        totals: [DailyTotal],
        averageEnergy: Double?,
        averageMacros: Macronutrients?,
        most: [IngredientConsumption]
    ) {
        self.days = days
        self.totals = totals
        self.averageEnergy = averageEnergy
        self.averageMacros = averageMacros
        self.most = most
    }

    package func lines(width: Int) -> [Line] {
        let note = averageEnergy.map { "\(FoodNumber.kilocalories($0)) a day on average" } ?? "nothing was logged"
        let width = min(width, 120)
        var lines = heading("Energy, \(DayName.range(days))", note, width: width)
        guard let averageMacros else { return lines }
        let values = course { $0.kilocalories }
        // A single day has no trend.
        if values.count > 1 {
            let chart = TrendChart(values: values, labels: days.map(DayName.short), average: averageEnergy)
            lines += [""] + chart.lines(width: width, height: 12)
        }
        lines += ["", Line("Macronutrients, on average a day", .title)]
        let bar = FoodNumber.bar(averageMacros)
        lines += [bar.bar(width: width)] + bar.legend(width: width)
        if values.count > 1 { lines += [""] + sparklines(width: width) }
        guard !most.isEmpty else { return lines }
        lines += ["", Line("Eaten most", .title)]
        let rows = most.map {
            NamedValue($0.name, Double($0.entryCount), text: "\(Number.whole($0.entryCount)) × · \(FoodNumber.grams($0.grams))")
        }
        return lines + BarList(rows).lines(width: width)
    }

    /// Each macronutrient over time, one line each.
    private func sparklines(width: Int) -> [Line] {
        let room = max(8, width - 9)
        let names = ["Protein", "Carbs  ", "Fat    "]
        let courses = [course { $0.protein }, course { $0.carbohydrates }, course { $0.fat }]
        return zip(names, courses).enumerated().map { index, row in
            "\(row.0)  \(Sparkline.text(Sparkline.condensed(row.1, to: room)), .series(index))"
        }
    }

    /// One nutrient over time, with gaps for days without entries.
    private func course(_ nutrient: (Nutrients) -> Double) -> [Double?] {
        let byDay = Dictionary(totals.map { ($0.day, nutrient($0.nutrients)) }) { first, _ in first }
        return days.map { byDay[$0] }
    }
}
