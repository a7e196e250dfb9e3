/// Something that was eaten: what, how much, when, and what was in it.
///
/// The nutrients are those of the moment at which it was logged. An ingredient that is edited later changes no entry, unless that is asked for.
public struct FoodEntry: Identifiable, Hashable, Codable, Sendable {
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

    public let id: ID

    /// What was eaten.
    public let name: String

    /// The ingredient that it was, if the diary knows it.
    public let ingredientID: Ingredient.ID?

    /// How much of it.
    public let grams: Double

    /// What was in it.
    public let nutrients: Nutrients

    /// When it was eaten.
    public let moment: FoodMoment

    /// How sure somebody was of all this, from 0 to 1.
    public let confidence: Double

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
        self.id = id
        self.name = name
        self.ingredientID = ingredientID
        self.grams = grams
        self.nutrients = nutrients
        self.moment = moment
        self.confidence = confidence
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

extension FoodEntry.Draft {
    /// The draft with its name tidied and its amounts as they are kept; throws a ``FoodDiaryError`` if nobody can have eaten that.
    public func validated() throws -> FoodEntry.Draft {
        var draft = self
        draft.name = FoodBounds.tidied(name)
        try FoodBounds.check(name: draft.name, what: "An entry")
        try FoodBounds.check(grams: grams, of: draft.name)
        try FoodBounds.check(nutrients, in: grams, of: draft.name)
        try FoodBounds.check(moment, of: draft.name)
        guard (0...1).contains(confidence) else {
            throw FoodDiaryError(.invalid, "The confidence in \(draft.name) is \(confidence); it lies between 0 and 1.")
        }
        draft.grams = (grams * 1000).rounded() / 1000
        draft.confidence = (confidence * 1000).rounded() / 1000
        return draft
    }
}
