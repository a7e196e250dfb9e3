package import FoodDiaryKit
package import Terminal

/// Amounts of food as they are shown.
package enum FoodNumber {
    package static func kilocalories(_ amount: Double) -> String { "\(Number.whole(amount)) kcal" }

    /// Grams, with one digit where there are few; kilograms where there are many.
    package static func grams(_ amount: Double) -> String {
        if amount >= 10_000 { return "\(Number.short(amount / 1000)) kg" }
        return "\(Number.short(amount, digits: amount < 10 ? 1 : 0)) g"
    }

    /// The weight of one meal, with the digit after the point that somebody may have said.
    package static func meal(_ amount: Double) -> String { "\(Number.short(amount)) g" }

    package static func entries(_ count: Int) -> String { Number.count(count, "entry", "entries") }

    package static func days(_ count: Int) -> String { Number.count(count, "day", "days") }

    /// Protein, carbohydrates and fat beside each other, in grams.
    package static func bar(_ macros: Macronutrients) -> StackedBar {
        StackedBar([
            NamedValue("Protein", macros.protein, text: grams(macros.protein)),
            NamedValue("Carbs", macros.carbohydrates, text: grams(macros.carbohydrates)),
            NamedValue("Fat", macros.fat, text: grams(macros.fat)),
        ])
    }
}

/// A screen: what there is to show, and how it looks at some width.
package protocol TextScreen {
    func lines(width: Int) -> [Line]
}

extension TextScreen {
    /// A title and what belongs to it at the other end of the line; below each other where there is no space.
    func heading(_ title: String, _ note: String, width: Int) -> [Line] {
        let (left, right) = (Line(title, .title), Line(note, .faint))
        guard left.width + 2 + right.width <= width else { return [left.truncated(to: width), right.truncated(to: width)] }
        return [left + .space(width - left.width - right.width) + right]
    }
}
