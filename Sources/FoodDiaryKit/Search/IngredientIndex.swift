/// The contents of the search index and their order, the same in memory as in a database.
package enum IngredientIndex {
    // MARK: Order

    package static let idBits: Int64 = 40
    package static let idMask: Int64 = 1 << idBits - 1
    private static let lengthBits: Int64 = 10

    /// The row number of an ingredient. Orders by usage, then by length of the name, then by age.
    package static func rank(of ingredient: Ingredient) -> Int64 {
        rank(of: ingredient.id, ingredient.name, usageCount: ingredient.usageCount)
    }

    package static func rank(of id: Ingredient.ID, _ name: String, usageCount: Int) -> Int64 {
        let length = min(Int64(name.unicodeScalars.count), 1 << lengthBits - 1)
        return (Int64(511 - usageStep(usageCount)) << lengthBits | length) << idBits | id.rawValue & idMask
    }

    /// Counts usage in steps of an eighth, so that an ingredient that is eaten every day doesn't change its place in the index each time.
    package static func usageStep(_ count: Int) -> Int {
        if count < 16 { return max(count, 0) }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        return exponent << 3 | count >> (exponent - 3) & 7
    }

    /// Whether other counts have the same ``usageStep(_:)`` as this one.
    package static func isInexact(_ count: Int) -> Bool { count >= 16 }

    /// Whether a row number has room for a key. No diary reaches the limit, but a row recovered from a damaged file may contain any key.
    package static func holds(_ id: Ingredient.ID) -> Bool { (0...idMask).contains(id.rawValue) }

    // MARK: Text

    /// The keys by which an ingredient is looked up.
    package static func keys(of ingredient: Ingredient) -> [String] {
        var seen: Set<String> = []
        return ([ingredient.name] + ingredient.aliases).compactMap { label in
            let key = SearchText.key(of: SearchText.words(of: label), label)
            return !key.isEmpty && seen.insert(key).inserted ? key : nil
        }
    }

    /// A category as a word that occurs in no text.
    package static func term(_ category: IngredientCategory) -> String {
        var term = "="
        for byte in category.rawValue.utf8 { term += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return term
    }

    /// Whether the index stores the same for both ingredients.
    package static func holdsAlike(_ ingredient: Ingredient, _ other: Ingredient) -> Bool {
        (ingredient.name, ingredient.aliases, ingredient.category) == (other.name, other.aliases, other.category)
    }

    /// The text of an ingredient in the full-text index.
    package static func text(of ingredient: Ingredient) -> String {
        text(([ingredient.name] + ingredient.aliases).flatMap(SearchText.words), ingredient.category)
    }

    package static func text(_ words: [SearchWord], _ category: IngredientCategory) -> String {
        var text = term(category)
        var seen: Set<String> = []
        for word in words {
            for part in word.indexed where seen.insert(part).inserted {
                text += " "
                text += part
            }
        }
        return text
    }
}
