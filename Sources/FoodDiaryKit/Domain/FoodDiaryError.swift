/// Why the diary could not do what it was asked for.
public struct FoodDiaryError: Error, Hashable, Sendable {
    /// The kind of an error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// What was given makes no sense: an empty name, an amount out of bounds.
        public static let invalid = Code(rawValue: "invalid")
        /// There is no such entry or ingredient.
        public static let notFound = Code(rawValue: "notFound")
        /// There is one of that name already.
        public static let duplicate = Code(rawValue: "duplicate")
        /// A file can not be imported; the message says which line.
        public static let format = Code(rawValue: "format")
        /// A file can not be read or written.
        public static let file = Code(rawValue: "file")
    }

    /// What kind of error it is.
    public let code: Code

    /// What a person can act on, in a sentence.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension FoodDiaryError: CustomStringConvertible {
    public var description: String { message }
}

extension FoodDiaryError {
    package static func noEntry(_ id: FoodEntry.ID) -> FoodDiaryError {
        FoodDiaryError(.notFound, "There is no entry with the number \(id.rawValue).")
    }

    package static func noIngredient(_ id: Ingredient.ID) -> FoodDiaryError {
        FoodDiaryError(.notFound, "There is no ingredient with the number \(id.rawValue).")
    }

    package static func nameTaken(_ name: String) -> FoodDiaryError {
        FoodDiaryError(.duplicate, "There is an ingredient called “\(name)” already.")
    }
}
