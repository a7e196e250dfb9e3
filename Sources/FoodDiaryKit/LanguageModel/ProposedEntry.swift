/// An entry proposed by a language model: a name and an amount. The rest of the answer is ignored.
public struct ProposedEntry: Hashable, Sendable {
    /// The amount as the model gave it.
    public enum Amount: Hashable, Sendable {
        case grams(Double)
        /// A number of portions of the ingredient, such as two slices.
        case portions(String, count: Double)
        /// No amount was given.
        case unknown
    }

    /// The name of the food.
    public let name: String

    /// The key of the ingredient, if the model gave one.
    public let ingredientID: Ingredient.ID?

    /// The amount.
    public let amount: Amount

    /// Creates a proposal.
    public init(name: String, ingredientID: Ingredient.ID? = nil, amount: Amount) {
        self.name = ModelText(name, maxLength: FoodBounds.nameLength).text
        self.ingredientID = ingredientID
        self.amount = amount
    }
}
