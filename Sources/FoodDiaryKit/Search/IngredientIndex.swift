/// What an index holds of an ingredient, and in which order: the same in memory as in a database.
package enum IngredientIndex {
    // MARK: Order

    package static let idBits: Int64 = 40
    package static let idMask: Int64 = 1 << idBits - 1
    private static let lengthBits: Int64 = 10

    /// The number of a row: those used more come first, of these the shorter names, of these the older.
    package static func rank(of ingredient: Ingredient) -> Int64 {
        rank(of: ingredient.id, ingredient.name, usageCount: ingredient.usageCount)
    }

    package static func rank(of id: Ingredient.ID, _ name: String, usageCount: Int) -> Int64 {
        let length = min(Int64(name.unicodeScalars.count), 1 << lengthBits - 1)
        return (Int64(511 - usageStep(usageCount)) << lengthBits | length) << idBits | id.rawValue & idMask
    }

    /// Uses are counted in steps of an eighth, so that what is eaten every day does not change its place in the index each time.
    package static func usageStep(_ count: Int) -> Int {
        if count < 16 { return max(count, 0) }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        return exponent << 3 | count >> (exponent - 3) & 7
    }

    /// Whether others of the same step may be used more or less.
    package static func isInexact(_ count: Int) -> Bool { count >= 16 }

    /// Whether there is room for a key. A diary never comes so far, but a row that was saved from a damaged file can say anything.
    package static func holds(_ id: Ingredient.ID) -> Bool { (0...idMask).contains(id.rawValue) }

    // MARK: Text

    /// By which keys it is looked up.
    package static func keys(of ingredient: Ingredient) -> [String] {
        var seen: Set<String> = []
        return ([ingredient.name] + ingredient.aliases).compactMap { label in
            let key = SearchText.key(of: SearchText.words(of: label), label)
            return !key.isEmpty && seen.insert(key).inserted ? key : nil
        }
    }

    /// A kind of food as a word that no text has.
    package static func term(_ category: IngredientCategory) -> String {
        var term = "="
        for byte in category.rawValue.utf8 { term += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        return term
    }

    /// Whether the index has the same of both.
    package static func holdsAlike(_ ingredient: Ingredient, _ other: Ingredient) -> Bool {
        (ingredient.name, ingredient.aliases, ingredient.category) == (other.name, other.aliases, other.category)
    }

    /// What the full-text index holds of an ingredient.
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
