/// Ingredients as a language model reads them: JSON with keys in order, the same text for the same ingredients.
///
/// It is data and says nothing to the model. A name is only ever a string in it, whatever is written there: what could end the string, a block of code or a
/// tag around it is escaped, and signs that nobody sees are left out.
///
/// ```swift
/// let ingredients = try await repository.relevantIngredients(for: "two eggs and a slice of rye bread", limit: 20)
/// let context = IngredientContext(ingredients)
/// let prompt = instructions + "\n" + context.json
/// ```
///
/// An ingredient is written like this:
///
/// ```json
/// {"category":"grain","id":7,"name":"Rye bread","per100g":{"carbs":48.3,"fat":3.3,"kcal":259,"protein":8.5},"portions":[{"grams":30,"name":"slice"}]}
/// ```
public struct IngredientContext: Hashable, Sendable {
    /// The ingredients that are in it, in the order in which they were given.
    public let ingredients: [Ingredient]

    /// How many had no room. The JSON says so, too.
    public let omittedCount: Int

    /// The text for the model.
    public let json: String

    /// Describes ingredients, the most important first; those for which there is no room are left out from the end.
    ///
    /// - Parameters:
    ///   - ingredients: What may be meant. One that comes twice is written once.
    ///   - tokenBudget: How many tokens the text may have, as ``estimatedTokens(in:)`` counts them. Default: 1,500, which is enough for about 15. The list itself
    ///     is always there, though it may be empty: that takes some ten.
    public init(_ ingredients: [Ingredient], tokenBudget: Int = 1_500) {
        var seen: Set<Ingredient.ID> = []
        let distinct = ingredients.filter { seen.insert($0.id).inserted }
        let frame = Self.estimatedTokens(in: Self.json([], omitted: distinct.count))
        var texts: [String] = []
        var tokens = frame
        for ingredient in distinct {
            let text = Self.json(ingredient)
            tokens += Self.estimatedTokens(in: text) + 1
            guard tokens <= tokenBudget else { break }
            texts.append(text)
        }
        self.ingredients = Array(distinct.prefix(texts.count))
        omittedCount = distinct.count - texts.count
        json = Self.json(texts, omitted: omittedCount)
    }

    /// Describes what a sentence may be about.
    ///
    /// - Parameters:
    ///   - text: What somebody has said of their food.
    ///   - repository: Whose ingredients are meant.
    ///   - tokenBudget: How many tokens the text may have. Default: 1,500.
    public static func relevant(
        for text: String,
        in repository: any IngredientRepository,
        tokenBudget: Int = 1_500
    ) async throws -> IngredientContext {
        IngredientContext(try await repository.relevantIngredients(for: text, limit: 20), tokenBudget: tokenBudget)
    }

    /// How many tokens a text has, rather too many than too few: one for every two bytes of ASCII, and one for each other byte.
    ///
    /// Models differ in how they count. JSON with short words and numbers comes to about two and a half letters a token, and no tokenizer makes
    /// more tokens than bytes.
    public static func estimatedTokens(in text: String) -> Int {
        var ascii = 0
        var other = 0
        for byte in text.utf8 { if byte < 0x80 { ascii += 1 } else { other += 1 } }
        return (ascii + 1) / 2 + other
    }

    // MARK: Text

    private static let maxName = 80
    private static let maxPortions = 5
    private static let maxPortionName = 40

    private static func json(_ ingredients: [String], omitted: Int) -> String {
        "{\"ingredients\":[\(ingredients.joined(separator: ","))],\"omitted\":\(omitted)}"
    }

    private static func json(_ ingredient: Ingredient) -> String {
        let per100g = ingredient.nutrients.thousandths
        let portions = ingredient.portions.prefix(maxPortions).map { portion in
            "{\"grams\":\(tenths(Nutrients.rounded(portion.grams))),\"name\":\(ModelText(portion.name, maxLength: maxPortionName).json)}"
        }
        return """
            {"category":\(ModelText(ingredient.category.rawValue, maxLength: maxPortionName).json),"id":\(ingredient.id.rawValue),\
            "name":\(ModelText(ingredient.name, maxLength: maxName).json),"per100g":{"carbs":\(tenths(per100g.carbohydrates)),\
            "fat":\(tenths(per100g.fat)),"kcal":\(tenths(per100g.kilocalories)),"protein":\(tenths(per100g.protein))},\
            "portions":[\(portions.joined(separator: ","))]}
            """
    }

    /// Thousandths as a number with at most one digit after the point, written in integers so that it is the same everywhere.
    private static func tenths(_ thousandths: Int64) -> String {
        let tenths = (abs(thousandths) + 50) / 100
        let sign = thousandths < 0 && tenths > 0 ? "-" : ""
        return tenths % 10 == 0 ? "\(sign)\(tenths / 10)" : "\(sign)\(tenths / 10).\(tenths % 10)"
    }
}
