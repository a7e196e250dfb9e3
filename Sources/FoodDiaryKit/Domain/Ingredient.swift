import Foundation

/// Something to eat, with what is in 100 g of it.
public struct Ingredient: Identifiable, Hashable, Sendable {
    /// The key of an ingredient.
    public struct ID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
        public let rawValue: Int64

        public init(rawValue: Int64) { self.rawValue = rawValue }

        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// An amount that people name, such as a slice of 30 g.
    public struct Portion: Hashable, Codable, Sendable {
        /// What it is called, in one.
        public var name: String

        /// What it weighs.
        public var grams: Double

        /// Creates a portion.
        public init(_ name: String, grams: Double) {
            self.name = name
            self.grams = grams
        }
    }

    /// What somebody says of an ingredient: all but its key, and how often it was eaten.
    public struct Draft: Hashable, Codable, Sendable {
        /// What it is called. Two ingredients can not have names that differ in case only.
        public var name: String

        /// What else it is called, also in other languages.
        public var aliases: [String]

        /// What kind of food it is.
        public var category: IngredientCategory

        /// What is in 100 g.
        public var nutrients: Nutrients

        /// Amounts that people name.
        public var portions: [Portion]

        /// Of what it says nothing, whatever stands there; see ``filled(from:)``.
        var omitted: Parts = []

        private enum CodingKeys: String, CodingKey {
            case name, aliases, category, nutrients, portions
        }

        /// Describes an ingredient.
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

    /// What it is called.
    public let name: String

    /// What else it is called, also in other languages.
    public let aliases: [String]

    /// What kind of food it is.
    public let category: IngredientCategory

    /// What is in 100 g.
    public let nutrients: Nutrients

    /// Amounts that people name.
    public let portions: [Portion]

    /// In how many entries it stands.
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

    /// What somebody would say to get the same ingredient.
    public var draft: Draft { Draft(name: name, aliases: aliases, category: category, nutrients: nutrients, portions: portions) }

    /// What is in some grams of it.
    public func nutrients(in grams: Double) -> Nutrients { nutrients.scaled(by: grams / 100) }
}

extension Ingredient.Draft {
    /// The draft with its names tidied and its amounts as they are kept; throws a ``FoodDiaryError`` if it describes no food.
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
                "\(draft.name) has \(draft.portions.count) portions; at most \(FoodBounds.portionCount) are kept."
            )
        }
        draft.portions = try Self.distinct(draft.portions, of: draft.name)
        return draft
    }

    /// A portion is asked for by its name, so one name can not be two weights.
    private static func distinct(_ portions: [Ingredient.Portion], of name: String) throws -> [Ingredient.Portion] {
        var weights: [String: Double] = [:]
        return try portions.filter { portion in
            guard let grams = weights.updateValue(portion.grams, forKey: portion.name.lowercased()) else { return true }
            guard grams == portion.grams else {
                throw FoodDiaryError(.invalid, "\(name) has two portions that are called \(portion.name), of different weights.")
            }
            return false
        }
    }
}

extension Ingredient {
    /// What a name is known by: two names that differ in case only are one.
    package static func key(of name: String) -> String { name.lowercased().precomposedStringWithCanonicalMapping }
}

extension Ingredient.Draft {
    /// The aliases as their column keeps them: one a line.
    package var aliasLines: String { aliases.joined(separator: "\n") }
}
