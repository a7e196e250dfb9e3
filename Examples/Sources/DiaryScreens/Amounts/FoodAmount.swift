package import FoodDiaryKit
import Terminal

/// An amount as a user writes it: `60g`, `2 slices`, `1/2 cup`.
package enum FoodAmount: Hashable, Sendable {
    case grams(Double)
    case portions(Double, of: String)
    /// A number without a unit.
    case bare(Double)

    /// Parses a number and the text after it; `nil` if the text doesn't begin with a number.
    package init?(_ text: String) {
        let text = text.split(separator: " ").joined(separator: " ").lowercased()
        let digits = text.prefix { $0.isNumber || ".,/".contains($0) }
        guard !Self.mayBeThousands(digits), let count = Self.number(digits), count > 0 else { return nil }
        let unit = String(text.dropFirst(digits.count).drop { $0 == " " })
        if unit.isEmpty {
            self = .bare(count)
        } else if let grams = Self.weights[unit] {
            self = .grams(count * grams)
        } else {
            self = .portions(count, of: unit)
        }
    }

    /// Whether a number such as `1,000` is ambiguous: a thousand to some readers, one to others.
    static func mayBeThousands(_ text: some StringProtocol) -> Bool {
        let parts = text.prefix { $0.isNumber || $0 == "," }.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count > 1 && (1...3).contains(parts[0].count) && parts[0] != "0" && parts.dropFirst().allSatisfy { $0.count == 3 }
    }

    private static let weights: [String: Double] = [
        "g": 1, "gr": 1, "gram": 1, "grams": 1, "kg": 1000, "mg": 0.001, "oz": 28.349523125, "ounce": 28.349523125, "ounces": 28.349523125,
        "lb": 453.59237, "lbs": 453.59237,
    ]

    private static func number(_ text: some StringProtocol) -> Double? {
        let fractions: [Character: Double] = ["½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1.0 / 3, "⅔": 2.0 / 3]
        if let last = text.last, let fraction = fractions[last] {
            return text.count == 1 ? fraction : number(text.dropLast()).map { $0 + fraction }
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return parts.count == 1 ? Double(String(text).replacing(",", with: ".")) : nil }
        guard let above = Double(parts[0]), let below = Double(parts[1]), below > 0 else { return nil }
        return above / below
    }

    /// The amounts that the diary accepts, in grams.
    static let bounds = 0.1...5_000.0

    /// Whether a weight is short enough to read, rather than the result of a key that was held down.
    static func isReadable(_ grams: Double) -> Bool { (0.001..<1_000_000).contains(grams) }

    /// The weight of this amount of an ingredient. If the amount names a portion that the ingredient doesn't have, throws an error that
    /// lists its portions.
    package func grams(of ingredient: Ingredient) throws -> Double {
        switch self {
        case .grams(let grams): return grams
        case .bare(let count):
            // A large number without a unit probably means grams: sixty slices are not a meal.
            let portion = count < 10 ? ingredient.portions.first : nil
            let first = portion.map { "\(Number.short(count)) \($0.name)" } ?? "\(Number.short(count))g"
            throw UsageError(
                "\(Number.short(count)) of what? Say grams or a portion, such as: \(first.quotedIfNeeded) (\(Self.known(of: ingredient)))"
            )
        case .portions(let count, let unit):
            let found = ingredient.portions.filter { Self.isPortion($0.name, called: unit) }
            guard let portion = found.first, found.count == 1 || portion.name.lowercased() == unit else {
                let said = found.isEmpty ? "has no portion \"\(unit)\"" : "has several portions \"\(unit)\""
                throw CommandError("\(ingredient.name) \(said); it knows \(Self.known(of: ingredient)).")
            }
            return count * portion.grams
        }
    }

    private static func known(of ingredient: Ingredient) -> String {
        (ingredient.portions.map { "\($0.name) (\(Number.short($0.grams)) g)" } + ["grams"]).joined(separator: ", ")
    }

    /// Whether a unit names a portion: a user may write slices for slice, and glass for large glass.
    private static func isPortion(_ name: String, called unit: String) -> Bool {
        let name = name.lowercased()
        let singulars = [
            unit, unit.hasSuffix("s") ? String(unit.dropLast()) : unit, unit.hasSuffix("es") ? String(unit.dropLast(2)) : unit,
        ]
        return singulars.contains { $0 == name } || singulars.contains { name.split(separator: " ").map { String($0) }.contains($0) }
    }
}

extension String {
    /// In quotation marks if it has several words.
    var quotedIfNeeded: String { contains(" ") ? "\"\(self)\"" : self }
}

/// The words of a log command, split into name and amount.
package struct FoodWords: Hashable, Sendable {
    package let name: String
    package let amount: FoodAmount

    /// Parses words such as `rye bread 2 slices`. The first word always belongs to the name; the amount begins with the first number after
    /// it.
    package init(_ words: [String]) throws {
        // A single quoted argument may hold everything.
        let words = words.count == 1 ? words[0].split(separator: " ").map { String($0) } : words
        let sample = "such as: food-diary log \"rye bread\" 60g"
        if let word = words.dropFirst().first(where: FoodAmount.mayBeThousands) {
            throw UsageError("\(word) is ambiguous: its comma may separate thousands or decimals. Write it without a comma, \(sample)")
        }
        guard let start = words.indices.dropFirst().first(where: { FoodAmount(words[$0]) != nil }) else {
            throw UsageError("How much \(words.joined(separator: " "))? Add a weight or portions, \(sample)")
        }
        let text = words[start...].joined(separator: " ")
        guard let amount = FoodAmount(text) else { throw UsageError("\"\(text)\" is not an amount; \(sample)") }
        name = words[..<start].joined(separator: " ")
        self.amount = amount
    }
}
