package import FoodDiaryKit
package import Terminal

/// A month as a calendar, with the energy of each day.
package struct MonthScreen: Hashable, Sendable, TextScreen {
    package let month: FoodMonth
    package let totals: [DailyTotal]
    package let today: FoodDay
    package let weekStart: FoodWeekday

    package init(month: FoodMonth, totals: [DailyTotal], today: FoodDay, weekStart: FoodWeekday = .monday) {
        self.month = month
        self.totals = totals
        self.today = today
        self.weekStart = weekStart
    }

    package func lines(width: Int) -> [Line] {
        let logged = totals.filter { $0.entryCount > 0 && month.days.contains($0.day) }
        let energy = Dictionary(logged.map { ($0.day, $0.nutrients.kilocalories) }) { first, _ in first }
        let average = energy.isEmpty ? nil : energy.values.reduce(0, +) / Double(energy.count)
        let note = average.map { "\(FoodNumber.kilocalories($0)) a day · \(FoodNumber.days(logged.count))" } ?? "nothing was logged"
        let days = month.days.map { MonthGrid.Day($0.dayOfMonth, value: energy[$0], isMarked: $0 == today) }
        let blanks = month.days.lowerBound.week(startingOn: weekStart).lowerBound.distance(to: month.days.lowerBound)
        let names = DayName.week(from: weekStart).map(DayName.shortWeekday)
        let grid = MonthGrid(days, leadingBlanks: blanks, weekdays: names, average: "a day")
        let legend = legend(Heat(of: Array(energy.values)))
        return heading(DayName.long(month), note, width: min(width, 72)) + [""] + grid.lines(width: width) + legend
    }

    private func legend(_ heat: Heat) -> [Line] {
        guard heat.high > heat.low else { return [] }
        let steps = zip(["·", "░", "▒", "▓", "█"], 0...).map { Line(" \($0.0) ", .heat($0.1)) }
        return [
            "",
            Line("≤ \(Number.whole(heat.low)) ", .faint) + Line(steps)
                + Line(" ≥ \(FoodNumber.kilocalories(heat.high))", .faint),
        ]
    }
}
