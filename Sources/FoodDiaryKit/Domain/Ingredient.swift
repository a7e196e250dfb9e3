import Foundation

/// A food, with the nutrients in 100 g of it.
public struct Ingredient: Identifiable, Hashable, Sendable {
    /// The key of an ingredient.
    public struct ID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
        public let rawValue: Int64

        public init(rawValue: Int64) { self.rawValue = rawValue }

        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// A named amount, such as a slice of 30 g.
    public struct Portion: Hashable, Codable, Sendable {
        /// The name, in the singular.
        public var name: String

        /// The weight in grams.
        public var grams: Double

        /// Creates a portion.
        public init(_ name: String, grams: Double) {
            self.name = name
            self.grams = grams
        }
    }

    /// An ingredient to be saved: everything except its key and how often it was used.
    public struct Draft: Hashable, Codable, Sendable {
        /// The name. The names of two ingredients must differ in more than case.
        public var name: String

        /// Other names, including names in other languages.
        public var aliases: [String]

        /// The category.
        public var category: IngredientCategory

        /// The nutrients in 100 g.
        public var nutrients: Nutrients

        /// Named amounts.
        public var portions: [Portion]

        /// The parts that are unspecified, regardless of the values of their properties; see ``filled(from:)``.
        var omitted: Parts = []

        private enum CodingKeys: String, CodingKey {
            case name, aliases, category, nutrients, portions
        }

        /// Creates a draft.
        public init(
            name: String,
            aliases: [String] = [],
            category: IngredientCategory = .other,
            nutrients: Nutrients,
            portions: [Portion] = []
        ) {
            self.name = name
            self.aliases = aliases
            self.category = category
            self.nutrients = nutrients
            self.portions = portions
        }
    }

    public let id: ID

    /// The name.
    public let name: String

    /// Other names, including names in other languages.
    public let aliases: [String]

    /// The category.
    public let category: IngredientCategory

    /// The nutrients in 100 g.
    public let nutrients: Nutrients

    /// Named amounts.
    public let portions: [Portion]

    /// The number of entries with this ingredient.
    public let usageCount: Int

    /// Creates the ingredient that a draft describes.
    public init(id: ID, _ draft: Draft, usageCount: Int = 0) {
        self.id = id
        name = draft.name
        aliases = draft.aliases
        category = draft.category
        nutrients = draft.nutrients
        portions = draft.portions
        self.usageCount = usageCount
    }

    /// A draft that would save an equal ingredient.
    public var draft: Draft { Draft(name: name, aliases: aliases, category: category, nutrients: nutrients, portions: portions) }

    /// The nutrients in a number of grams.
    public func nutrients(in grams: Double) -> Nutrients { nutrients.scaled(by: grams / 100) }
}

extension Ingredient.Draft {
    /// Returns the draft with its names normalized and its amounts rounded as they are stored. Throws a ``FoodDiaryError`` if the draft is
    /// invalid.
    public func validated() throws -> Ingredient.Draft {
        var draft = self
        draft.name = FoodBounds.tidied(name)
        draft.aliases = aliases.map(FoodBounds.tidied).filter { !$0.isEmpty }
        draft.portions = portions.map { Ingredient.Portion(FoodBounds.tidied($0.name), grams: $0.grams) }
        try FoodBounds.check(name: draft.name, what: "An ingredient")
        try FoodBounds.check(aliases: draft.aliases, of: draft.name)
        try FoodBounds.check(category: category)
        try FoodBounds.check(per100Grams: nutrients, of: draft.name)
        for portion in draft.portions {
            try FoodBounds.check(name: portion.name, what: "A portion")
            try FoodBounds.check(grams: portion.grams, of: "\(draft.name), \(portion.name)")
        }
        for index in draft.portions.indices { draft.portions[index].grams = (draft.portions[index].grams * 1000).rounded() / 1000 }
        guard draft.portions.count <= FoodBounds.portionCount else {
            throw FoodDiaryError(
                .invalid,
                "\(draft.name) has \(draft.portions.count) portions; at most \(FoodBounds.portionCount) are allowed."
            )
        }
        draft.portions = try Self.distinct(draft.portions, of: draft.name)
        return draft
    }

    /// A portion is looked up by its name, so a name can't have two weights.
    private static func distinct(_ portions: [Ingredient.Portion], of name: String) throws -> [Ingredient.Portion] {
        var weights: [String: Double] = [:]
        return try portions.filter { portion in
            guard let grams = weights.updateValue(portion.grams, forKey: portion.name.lowercased()) else { return true }
            guard grams == portion.grams else {
                throw FoodDiaryError(.invalid, "\(name) has two portions called \(portion.name) with different weights.")
            }
            return false
        }
    }
}

extension Ingredient {
    /// The form in which names are compared: two names that differ only in case are the same.
    package static func key(of name: String) -> String { name.lowercased().precomposedStringWithCanonicalMapping }
}

extension Ingredient.Draft {
    /// The aliases as their column stores them: one per line.
    package var aliasLines: String { aliases.joined(separator: "\n") }
}
