/// What a language model says was eaten: a name and an amount, and nothing else that counts.
public struct ProposedEntry: Hashable, Sendable {
    /// How much, as it was said.
    public enum Amount: Hashable, Sendable {
        case grams(Double)
        /// A number of portions of the ingredient, such as two slices.
        case portions(String, count: Double)
        /// Nothing was said of it.
        case unknown
    }

    /// What it is called.
    public let name: String

    /// The key of the ingredient, if one was given.
    public let ingredientID: Ingredient.ID?

    /// How much of it.
    public let amount: Amount

    /// Creates a proposal.
    public init(name: String, ingredientID: Ingredient.ID? = nil, amount: Amount) {
        self.name = ModelText(name, maxLength: FoodBounds.nameLength).text
        self.ingredientID = ingredientID
        self.amount = amount
    }
}
