extension Ingredient.Draft {
    /// What a draft may say nothing of, as a row of a file that has no column for it.
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

        /// All nutrients without which a draft can be, in the order of ``Nutrients/amounts``.
        static let nutrients: [Parts] = [.protein, .carbohydrates, .fat, .fiber, .sugar, .salt]
    }

    /// The draft with what it says nothing of as an ingredient has it, for a repository that imports one of a known name.
    ///
    /// Only drafts that were read from a file say nothing of something: see ``FoodDiaryFile``. All others stay as they are.
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
