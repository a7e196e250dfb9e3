extension Ingredient.Draft {
    /// The parts that a draft may leave unspecified, for example because a file has no column for them.
    struct Parts: OptionSet, Hashable, Sendable {
        let rawValue: Int

        static let aliases = Parts(rawValue: 1)
        static let category = Parts(rawValue: 2)
        static let portions = Parts(rawValue: 4)
        static let protein = Parts(rawValue: 8)
        static let carbohydrates = Parts(rawValue: 16)
        static let fat = Parts(rawValue: 32)
        static let fiber = Parts(rawValue: 64)
        static let sugar = Parts(rawValue: 128)
        static let salt = Parts(rawValue: 256)

        /// All nutrients that a draft may leave unspecified, in the order of ``Nutrients/amounts``.
        static let nutrients: [Parts] = [.protein, .carbohydrates, .fat, .fiber, .sugar, .salt]
    }

    /// Returns the draft with all unspecified parts taken from an ingredient. For repositories that import a draft whose name exists
    /// already.
    ///
    /// Only drafts read from a file can leave parts unspecified: see ``FoodDiaryFile``. All others are returned unchanged.
    public func filled(from ingredient: Ingredient) -> Ingredient.Draft {
        guard !omitted.isEmpty else { return self }
        var draft = self
        draft.omitted = []
        if omitted.contains(.aliases) { draft.aliases = ingredient.aliases }
        if omitted.contains(.category) { draft.category = ingredient.category }
        if omitted.contains(.portions) { draft.portions = ingredient.portions }
        let known = ingredient.nutrients.thousandths
        if omitted.contains(.protein) { draft.nutrients.thousandths.protein = known.protein }
        if omitted.contains(.carbohydrates) { draft.nutrients.thousandths.carbohydrates = known.carbohydrates }
        if omitted.contains(.fat) { draft.nutrients.thousandths.fat = known.fat }
        if omitted.contains(.fiber) { draft.nutrients.thousandths.fiber = known.fiber }
        if omitted.contains(.sugar) { draft.nutrients.thousandths.sugar = known.sugar }
        if omitted.contains(.salt) { draft.nutrients.thousandths.salt = known.salt }
        return draft
    }
}
