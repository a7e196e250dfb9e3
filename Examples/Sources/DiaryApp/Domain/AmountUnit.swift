package import FoodDiaryKit

/// A unit in which the amount of an ingredient is entered: grams, or a portion such as a slice.
package enum AmountUnit: Hashable, Identifiable, Sendable {
    case grams
    case portion(Ingredient.Portion)

    package var id: Self { self }

    /// The units of an ingredient: its portions, then grams.
    package static func all(of ingredient: Ingredient) -> [AmountUnit] {
        ingredient.portions.map { .portion($0) } + [.grams]
    }

    /// The amount that a field shows first.
    package var standardAmount: Double {
        switch self {
        case .grams: 100
        case .portion: 1
        }
    }

    package func grams(in amount: Double) -> Double {
        switch self {
        case .grams: amount
        case .portion(let portion): amount * portion.grams
        }
    }
}
