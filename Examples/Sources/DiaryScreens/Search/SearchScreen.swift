package import FoodDiaryKit
package import Terminal

/// The results of a search.
package struct SearchScreen: Hashable, Sendable, TextScreen {
    package let typed: String
    package let found: [Ingredient]

    package init(typed: String, found: [Ingredient]) {
        self.typed = typed
        self.found = found
    }

    package func lines(width: Int) -> [Line] {
        guard !found.isEmpty else { return Line.wrapped("No ingredient is called \"\(typed)\" or similar.", to: width, .faint) }
        let columns = [
            Table.Column("Food", minimum: 12), Table.Column("Kind", dispensability: 3), Table.Column("kcal/100 g", .right),
            Table.Column("Eaten", .right, dispensability: 1), Table.Column("Portions", minimum: 12, dispensability: 2),
            Table.Column("Also called", minimum: 12, dispensability: 4),
        ]
        let rows: [[Line]] = found.map { ingredient in
            [
                Line(ingredient.name, .name), Line(ingredient.category.rawValue, .faint),
                Line(Number.whole(ingredient.nutrients.kilocalories), .strong), Line("\(Number.whole(ingredient.usageCount)) ×", .faint),
                Line(ingredient.portions.map { "\($0.name) \(FoodNumber.grams($0.grams))" }.joined(separator: ", ")),
                Line(ingredient.aliases.joined(separator: ", "), .faint),
            ]
        }
        return Table(columns, rows: rows).lines(width: min(width, 140))
    }
}
