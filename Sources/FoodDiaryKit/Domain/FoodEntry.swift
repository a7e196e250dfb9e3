/// Something that was eaten: what, how much, when, and what was in it.
///
/// The nutrients are those of the moment at which it was logged. An ingredient that is edited later changes no entry, unless that is asked for.
public struct FoodEntry: Identifiable, Hashable, Sendable {
    /// The key of an entry.
    public struct ID: RawRepresentable, Hashable, Comparable, Codable, Sendable {
        public let rawValue: Int64

        public init(rawValue: Int64) { self.rawValue = rawValue }

        public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }
    }

    /// What is to be logged: an entry without its key.
    public struct Draft: Hashable, Codable, Sendable {
        /// What is eaten.
        public enum Food: Hashable, Codable, Sendable {
            /// An ingredient, by its key; one that does not exist is an error.
            case ingredient(Ingredient.ID)
            /// An ingredient by its name, if there is one.
            case named(String)
            /// Nothing that the diary knows.
            case unlisted
        }

        /// What it is called.
        public var name: String

        /// The ingredient that it is.
        public var food: Food

        /// How much of it.
        public var grams: Double

        /// What is in that amount.
        public var nutrients: Nutrients

        /// When it was eaten.
        public var moment: FoodMoment

        /// How sure somebody is of all this, from 0 to 1.
        public var confidence: Double

        /// Something that is known by its name and nutrients alone.
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

        /// Some grams of an ingredient, with what is in them today.
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

    // There are tens of thousands in a year, so each byte counts. The order of the properties leaves no gaps.

    public let id: ID

    /// What was eaten.
    public let name: String

    private let ingredient: Int64

    let amounts: FoodAmounts

    /// When it was eaten.
    public let moment: FoodMoment

    private let hasIngredient: Bool
    private let smallConfidence: UInt16

    /// The ingredient that it was, if the diary knows it.
    public var ingredientID: Ingredient.ID? { hasIngredient ? Ingredient.ID(rawValue: ingredient) : nil }

    /// How much of it.
    public var grams: Double { amounts.grams }

    /// What was in it.
    public var nutrients: Nutrients { amounts.nutrients }

    /// How sure somebody was of all this, from 0 to 1.
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

    /// Creates an entry as a database keeps it, with its amounts in thousandths.
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

    /// Creates the entry that a draft describes, of an ingredient that was looked up.
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

    /// The day on which it was eaten.
    public var day: FoodDay { moment.day }

    /// What somebody would log to get the same entry.
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

    /// The entry with other nutrients, as when its ingredient was wrong all the time.
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

    /// Where the entry stands among all others; see ``Position``.
    public var position: Position { Position(day: day, milliseconds: moment.milliseconds, id: id) }

    /// The place of an entry in a list that shows the newest first: the later day, on one day the later moment, of one moment what was logged later.
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
    /// The draft with its name tidied and its amounts as they are kept; throws a ``FoodDiaryError`` if nobody can have eaten that.
    public func validated() throws -> FoodEntry.Draft {
        var draft = self
        draft.name = FoodBounds.tidied(name)
        try FoodBounds.check(name: draft.name, what: "An entry")
        try FoodBounds.check(moment, of: draft.name)
        try FoodBounds.check(grams: grams, of: draft.name)
        try FoodBounds.check(nutrients, in: grams, of: draft.name)
        guard (0...1).contains(confidence) else {
            throw FoodDiaryError(.invalid, "The confidence in \(draft.name) is \(confidence); it lies between 0 and 1.")
        }
        draft.grams = (grams * 1000).rounded() / 1000
        draft.confidence = (confidence * 1000).rounded() / 1000
        return draft
    }
}
