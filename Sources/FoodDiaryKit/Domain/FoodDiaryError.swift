/// An error of the diary, with a message for the user.
public struct FoodDiaryError: Error, Hashable, Sendable {
    /// The kind of an error.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument is invalid, for example an empty name or an amount out of range.
        public static let invalid = Code(rawValue: "invalid")
        /// The entry or ingredient doesn't exist.
        public static let notFound = Code(rawValue: "notFound")
        /// The name is already in use.
        public static let duplicate = Code(rawValue: "duplicate")
        /// A file can't be imported; the message names the line.
        public static let format = Code(rawValue: "format")
        /// A file can't be read or written.
        public static let file = Code(rawValue: "file")
    }

    /// The kind of the error.
    public let code: Code

    /// A sentence that tells the user what happened and what to do.
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
