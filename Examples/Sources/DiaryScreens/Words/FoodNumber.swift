package import FoodDiaryKit
package import Terminal

/// Formats amounts of food.
package enum FoodNumber {
    package static func kilocalories(_ amount: Double) -> String { "\(Number.whole(amount)) kcal" }

    /// Grams, with one decimal for small amounts; kilograms for large ones.
    package static func grams(_ amount: Double) -> String {
        if amount >= 10_000 { return "\(Number.short(amount / 1000)) kg" }
        return "\(Number.short(amount, digits: amount < 10 ? 1 : 0)) g"
    }

    /// The weight of one meal, with one decimal if the user gave one.
    package static func meal(_ amount: Double) -> String { "\(Number.short(amount)) g" }

    package static func entries(_ count: Int) -> String { Number.count(count, "entry", "entries") }

    package static func days(_ count: Int) -> String { Number.count(count, "day", "days") }

    /// Protein, carbohydrates and fat in one bar, in grams.
    package static func bar(_ macros: Macronutrients) -> StackedBar {
        StackedBar([
            NamedValue("Protein", macros.protein, text: grams(macros.protein)),
            NamedValue("Carbs", macros.carbohydrates, text: grams(macros.carbohydrates)),
            NamedValue("Fat", macros.fat, text: grams(macros.fat)),
        ])
    }
}

/// A screen: content, and its layout at a given width.
package protocol TextScreen {
    func lines(width: Int) -> [Line]
}

extension TextScreen {
    /// A title, with a note at the other end of the line, or below it if there is no space.
    func heading(_ title: String, _ note: String, width: Int) -> [Line] {
        let (left, right) = (Line(title, .title), Line(note, .faint))
        guard left.width + 2 + right.width <= width else { return [left.truncated(to: width), right.truncated(to: width)] }
        return [left + .space(width - left.width - right.width) + right]
    }
}
