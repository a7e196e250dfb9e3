/// One thing that was eaten: the food, the amount, the time and the nutrients.
///
/// An entry keeps the nutrients that it had when it was logged. Editing an ingredient later changes no entry, unless you request that.
public struct FoodEntry: Identifiable, Hashable, Sendable {
    /// The key of an entry.
    public struct ID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
        public let rawValue: Int64

        public init(rawValue: Int64) { self.rawValue = rawValue }

        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// An entry to be logged, which has no key yet.
    public struct Draft: Hashable, Codable, Sendable {
        /// The food that is eaten.
        public enum Food: Hashable, Codable, Sendable {
            /// An ingredient by its key; a key that doesn't exist is an error.
            case ingredient(Ingredient.ID)
            /// An ingredient by its name, if one has that name.
            case named(String)
            /// A food that is not in the diary.
            case unlisted
        }

        /// The name of the food.
        public var name: String

        /// Whether the food is an ingredient of the diary, and which one.
        public var food: Food

        /// The amount in grams.
        public var grams: Double

        /// The nutrients in that amount.
        public var nutrients: Nutrients

        /// When it was eaten.
        public var moment: FoodMoment

        /// The confidence in the entry, from 0 to 1.
        public var confidence: Double

        /// Creates a draft from a name and nutrients.
        public init(
            name: String,
            food: Food = .unlisted,
            grams: Double,
            nutrients: Nutrients,
            at moment: FoodMoment,
            confidence: Double = 1
        ) {
            self.name = name
            self.food = food
            self.grams = grams
            self.nutrients = nutrients
            self.moment = moment
            self.confidence = confidence
        }

        /// Creates a draft for an amount of an ingredient, with the nutrients that the ingredient has now.
        public init(_ ingredient: Ingredient, grams: Double, at moment: FoodMoment, confidence: Double = 1) {
            self.init(
                name: ingredient.name,
                food: .ingredient(ingredient.id),
                grams: grams,
                nutrients: ingredient.nutrients(in: grams),
                at: moment,
                confidence: confidence
            )
        }
    }

    // A year has tens of thousands of entries, so each byte counts. The order of the properties leaves no gaps.

    public let id: ID

    /// The name of the food.
    public let name: String

    private let ingredient: Int64

    let amounts: FoodAmounts

    /// When it was eaten.
    public let moment: FoodMoment

    private let hasIngredient: Bool
    private let smallConfidence: UInt16

    /// The ingredient, if the diary has it.
    public var ingredientID: Ingredient.ID? { hasIngredient ? Ingredient.ID(rawValue: ingredient) : nil }

    /// The amount in grams.
    public var grams: Double { amounts.grams }

    /// The nutrients in that amount.
    public var nutrients: Nutrients { amounts.nutrients }

    /// The confidence in the entry, from 0 to 1.
    public var confidence: Double { amounts.exactConfidence ?? Double(smallConfidence) / 1000 }

    /// Creates an entry.
    public init(
        id: ID,
        name: String,
        ingredientID: Ingredient.ID?,
        grams: Double,
        nutrients: Nutrients,
        moment: FoodMoment,
        confidence: Double
    ) {
        let amounts = FoodAmounts(grams: grams, nutrients: nutrients, confidence: confidence)
        self.init(id, name, ingredientID, amounts, moment, Nutrients.rounded(confidence))
    }

    /// Creates an entry from what a database stores, with amounts in thousandths.
    package init(
        id: ID,
        name: String,
        ingredientID: Ingredient.ID?,
        gramThousandths: Int64,
        nutrients: Nutrients,
        moment: FoodMoment,
        confidenceThousandths: Int64
    ) {
        let amounts = FoodAmounts(gramThousandths, nutrients, confidenceThousandths)
        self.init(id, name, ingredientID, amounts, moment, confidenceThousandths)
    }

    @inline(__always)
    private init(
        _ id: ID,
        _ name: String,
        _ ingredientID: Ingredient.ID?,
        _ amounts: FoodAmounts,
        _ moment: FoodMoment,
        _ confidence: Int64
    ) {
        self.id = id
        self.name = name
        ingredient = ingredientID?.rawValue ?? 0
        self.amounts = amounts
        self.moment = moment
        hasIngredient = ingredientID != nil
        smallConfidence = amounts.exactConfidence == nil ? UInt16(truncatingIfNeeded: confidence) : 0
    }

    /// Creates the entry that a draft describes. The caller has looked up the ingredient.
    public init(id: ID, _ draft: Draft, ingredientID: Ingredient.ID?) {
        self.init(
            id: id,
            name: draft.name,
            ingredientID: ingredientID,
            grams: draft.grams,
            nutrients: draft.nutrients,
            moment: draft.moment,
            confidence: draft.confidence
        )
    }

    /// The day on which the food was eaten.
    public var day: FoodDay { moment.day }

    /// A draft that would log an equal entry.
    public var draft: Draft {
        Draft(
            name: name,
            food: ingredientID.map { .ingredient($0) } ?? .unlisted,
            grams: grams,
            nutrients: nutrients,
            at: moment,
            confidence: confidence
        )
    }

    /// A copy of the entry with the given nutrients, for a correction of its ingredient.
    package func with(nutrients: Nutrients) -> FoodEntry {
        FoodEntry(
            id: id,
            name: name,
            ingredientID: ingredientID,
            grams: grams,
            nutrients: nutrients,
            moment: moment,
            confidence: confidence
        )
    }

    /// The position of the entry among all others; see ``Position``.
    public var position: Position { Position(day: day, milliseconds: moment.milliseconds, id: id) }

    /// The position of an entry in a list that is newest first: by day, then by moment, then by the order in which entries were logged.
    public struct Position: Hashable, Comparable, Sendable {
        package let day: FoodDay
        package let milliseconds: Int64
        package let id: ID

        public static func < (left: Position, right: Position) -> Bool {
            (left.day, left.milliseconds, left.id) < (right.day, right.milliseconds, right.id)
        }
    }
}

extension FoodEntry: Codable {
    private enum CodingKeys: CodingKey {
        case id, name, ingredientID, grams, nutrients, moment, confidence
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id),
            name: try container.decode(String.self, forKey: .name),
            ingredientID: try container.decodeIfPresent(Ingredient.ID.self, forKey: .ingredientID),
            grams: try container.decode(Double.self, forKey: .grams),
            nutrients: try container.decode(Nutrients.self, forKey: .nutrients),
            moment: try container.decode(FoodMoment.self, forKey: .moment),
            confidence: try container.decode(Double.self, forKey: .confidence)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(ingredientID, forKey: .ingredientID)
        try container.encode(grams, forKey: .grams)
        try container.encode(nutrients, forKey: .nutrients)
        try container.encode(moment, forKey: .moment)
        try container.encode(confidence, forKey: .confidence)
    }
}

extension FoodEntry.Draft {
    /// Returns the draft with its name normalized and its amounts rounded as they are stored. Throws a ``FoodDiaryError`` if an amount is
    /// out of bounds.
    public func validated() throws -> FoodEntry.Draft {
        var draft = self
        draft.name = FoodBounds.tidied(name)
        try FoodBounds.check(name: draft.name, what: "An entry")
        try FoodBounds.check(moment, of: draft.name)
        try FoodBounds.check(grams: grams, of: draft.name)
        try FoodBounds.check(nutrients, in: grams, of: draft.name)
        guard (0...1).contains(confidence) else {
            throw FoodDiaryError(.invalid, "The confidence in \(draft.name) is \(confidence); it must be between 0 and 1.")
        }
        draft.grams = (grams * 1000).rounded() / 1000
        draft.confidence = (confidence * 1000).rounded() / 1000
        return draft
    }
}
