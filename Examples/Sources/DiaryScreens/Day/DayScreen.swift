package import FoodDiaryKit
package import Terminal

/// The entries of a day and their total.
package struct DayScreen: Hashable, Sendable, TextScreen {
    package let day: FoodDay
    package let entries: [FoodEntry]
    package let total: DailyTotal

    package init(day: FoodDay, entries: [FoodEntry], total: DailyTotal) {
        self.day = day
        self.entries = entries
        self.total = total
    }

    package func lines(width: Int) -> [Line] {
        let width = min(width, 100)
        let note = "\(FoodNumber.kilocalories(total.nutrients.kilocalories)) · \(FoodNumber.entries(total.entryCount))"
        var lines = heading(DayName.long(day), note, width: width)
        guard !entries.isEmpty else {
            return lines + [""] + Line.wrapped("Nothing was logged. To log something: food-diary log \"rye bread\" 60g", to: width, .faint)
        }
        let bar = FoodNumber.bar(total.nutrients.macronutrients)
        lines += [bar.bar(width: width)] + bar.legend(width: width) + [""]
        return lines + table.lines(width: width)
    }

    var table: Table {
        let columns = [
            Table.Column("#", .right), Table.Column("Time", dispensability: 1), Table.Column("Food", minimum: 10),
            Table.Column("Amount", .right, dispensability: 2), Table.Column("kcal", .right),
            Table.Column("Protein", .right, dispensability: 3),
            Table.Column("Carbs", .right, dispensability: 4), Table.Column("Fat", .right, dispensability: 5),
            Table.Column("Sure", .right, dispensability: 6),
        ]
        return Table(columns, rows: entries.map(Self.row))
    }

    private static func row(_ entry: FoodEntry) -> [Line] {
        let nutrients = entry.nutrients
        let sure = entry.confidence < 0.995 ? Line(Number.percent(entry.confidence), .faint) : Line()
        return [
            // A provisional entry has no number yet.
            Line(entry.isProvisional ? "…" : "\(entry.id.rawValue)", .faint), Line(DayName.time(entry.moment), .faint),
            Line(entry.name, .name), Line(FoodNumber.meal(entry.grams)), Line(Number.whole(nutrients.kilocalories), .strong),
            Line(FoodNumber.grams(nutrients.protein)), Line(FoodNumber.grams(nutrients.carbohydrates)),
            Line(FoodNumber.grams(nutrients.fat)), sure,
        ]
    }
}
