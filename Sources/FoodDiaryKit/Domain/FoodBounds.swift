import Foundation

/// Limits for amounts that a person can have eaten, and for the lengths of names.
package enum FoodBounds {
    static let grams = 0.1...5000.0
    /// Pure fat has 9 kilocalories per gram, and no food has more.
    static let kilocaloriesPer100Grams = 900.0
    /// In characters as a reader counts them.
    static let nameLength = 200
    /// In bytes, because a character may have any number of accents.
    static let nameByteCount = 1_600
    static let categoryLength = 40
    static let categoryByteCount = 320
    static let aliasCount = 100
    static let portionCount = 50

    /// Returns a name without control characters, without space around it, and with single spaces between words.
    package static func tidied(_ name: String) -> String {
        if isTidy(name) { return name }
        let scalars = name.unicodeScalars.compactMap { scalar -> Unicode.Scalar? in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
            // Characters that change the direction of text can make a name look like another one. Joiners are kept, because some scripts
            // need them.
            case .format where scalar.value != 0x200D && scalar.value != 0x200C: nil
            case .surrogate, .privateUse, .unassigned: nil
            default: scalar
            }
        }
        // The name is split by scalars, because to Swift a space with an accent is a different character. It is composed last, when nothing
        // stands between a letter and its accent any more.
        let words = scalars.split(separator: " ").map { word in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: word)
            return String(text)
        }
        return words.joined(separator: " ").precomposedStringWithCanonicalMapping
    }

    /// Whether a name is certainly tidy: it contains only whole letters and signs, no accents that combine with a letter, and single spaces
    /// between words. Most names are tidy, and an import has many names.
    private static func isTidy(_ name: String) -> Bool {
        var isAfterSpace = true
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x20:
                if isAfterSpace { return false }
                isAfterSpace = true
            // ASCII, Latin letters, those of Vietnamese, kana, and Chinese.
            case 0x21...0x7E, 0xAE...0x24F, 0x1E00...0x1EFF, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FEF: isAfterSpace = false
            default: return false
            }
        }
        return !isAfterSpace
    }

    static func check(name: String, what: String) throws {
        guard !name.isEmpty else { throw FoodDiaryError(.invalid, "\(what) needs a name.") }
        guard name.count <= nameLength else {
            throw FoodDiaryError(.invalid, "The name \(start(of: name))… has \(name.count) characters; at most \(nameLength) are allowed.")
        }
        guard name.utf8.count <= nameByteCount else {
            let count = name.utf8.count
            throw FoodDiaryError(.invalid, "The name \(start(of: name))… has \(count) bytes; at most \(nameByteCount) are allowed.")
        }
    }

    /// The beginning of a name, for a message. A single character may be long.
    private static func start(of name: String) -> String {
        var start = String.UnicodeScalarView()
        start.append(contentsOf: String(name.prefix(20)).unicodeScalars.prefix(60))
        return String(start)
    }

    static func check(aliases: [String], of name: String) throws {
        guard aliases.count <= aliasCount else {
            throw FoodDiaryError(.invalid, "\(name) has \(aliases.count) aliases; at most \(aliasCount) are allowed.")
        }
        for alias in aliases { try check(name: alias, what: "An alias") }
    }

    static func check(category: IngredientCategory) throws {
        let name = category.rawValue
        guard !name.isEmpty, name == tidied(name) else {
            throw FoodDiaryError(.invalid, "A category is a short word, such as fruit or grain.")
        }
        guard name.count <= categoryLength else {
            throw FoodDiaryError(
                .invalid,
                "The category \(start(of: name))… has \(name.count) characters; at most \(categoryLength) are allowed."
            )
        }
        guard name.utf8.count <= categoryByteCount else {
            throw FoodDiaryError(
                .invalid,
                "The category \(start(of: name))… has \(name.utf8.count) bytes; at most \(categoryByteCount) are allowed."
            )
        }
    }

    static func check(_ moment: FoodMoment, of name: String) throws {
        guard moment.isDate else {
            throw FoodDiaryError(.invalid, "The time of \(name) is not a date: it was created from a Date that is not a number.")
        }
    }

    static func check(grams amount: Double, of name: String) throws {
        guard grams.contains(amount) else {
            throw FoodDiaryError(.invalid, "\(name): \(amount) g is out of range; an amount must be between 0.1 and 5000 g.")
        }
    }

    static func check(per100Grams nutrients: Nutrients, of name: String) throws {
        try check(nutrients, in: 100, of: name)
    }

    static func check(_ nutrients: Nutrients, in grams: Double, of name: String) throws {
        for (what, amount) in nutrients.amounts where !amount.isFinite {
            throw FoodDiaryError(.invalid, "\(name): \(what) is \(amount), which is not an amount.")
        }
        for (what, amount) in nutrients.amounts where amount < 0 {
            throw FoodDiaryError(.invalid, "\(name): \(what) is \(amount), but an amount can't be negative.")
        }
        // Amounts are rounded to thousandths, so the energy may be one thousandth too high.
        guard nutrients.kilocalories <= kilocaloriesPer100Grams * grams / 100 + 0.001 else {
            throw FoodDiaryError(
                .invalid,
                "\(name): \(nutrients.kilocalories) kcal in \(grams) g; no food has more than 900 kcal in 100 g."
            )
        }
        for (what, amount) in nutrients.amounts.dropFirst() where amount > grams + 0.001 {
            throw FoodDiaryError(.invalid, "\(name): \(amount) g of \(what) in \(grams) g; a nutrient can't weigh more than the food.")
        }
    }
}
