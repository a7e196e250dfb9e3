/// Ingredients described for a language model: JSON with sorted keys, so equal ingredients give equal text.
///
/// The JSON is data and contains no instructions. A name is always a JSON string: characters that could end the string,
/// a code block or a tag around it are escaped, and invisible characters are left out.
///
/// ```swift
/// let ingredients = try await repository.relevantIngredients(
///     for: "two eggs and a slice of rye bread",
///     limit: 20
/// )
/// let context = IngredientContext(ingredients)
/// let prompt = instructions + "\n" + context.json
/// ```
///
/// An ingredient is written like this:
///
/// ```json
/// {"category":"grain","id":7,"name":"Rye bread",
///  "per100g":{"carbs":48.3,"fat":3.3,"kcal":259,"protein":8.5},
///  "portions":[{"grams":30,"name":"slice"}]}
/// ```
public struct IngredientContext: Hashable, Sendable {
    /// The included ingredients, in the order in which they were passed.
    public let ingredients: [Ingredient]

    /// The number of ingredients left out for lack of room. The JSON contains it, too.
    public let omittedCount: Int

    /// The text for the model.
    public let json: String

    /// Describes ingredients, most important first; if there isn't enough room, the last ones are left out.
    ///
    /// - Parameters:
    ///   - ingredients: The candidates. An ingredient that occurs twice is written once.
    ///   - tokenBudget: The maximum number of tokens, as counted by ``estimatedTokens(in:)``. Default: 1,500, which is enough for about 15
    ///     ingredients. The list itself is always written, though it may be empty; that takes about ten tokens.
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

    /// Describes the ingredients that a sentence may be about.
    ///
    /// - Parameters:
    ///   - text: What the user wrote or said about their food.
    ///   - repository: The repository of the ingredients.
    ///   - tokenBudget: The maximum number of tokens. Default: 1,500.
    public static func relevant(
        for text: String,
        in repository: any IngredientRepository,
        tokenBudget: Int = 1_500
    ) async throws -> IngredientContext {
        IngredientContext(try await repository.relevantIngredients(for: text, limit: 20), tokenBudget: tokenBudget)
    }

    /// Estimates the number of tokens of a text: one per two bytes of ASCII, and one per other byte. The estimate is usually too high.
    ///
    /// Models count differently. JSON with short words and numbers has about two and a half letters per token, and no tokenizer makes more
    /// tokens than bytes.
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

    /// Formats thousandths as a number with at most one decimal, using only integers so that the text is the same on every platform.
    private static func tenths(_ thousandths: Int64) -> String {
        let tenths = (abs(thousandths) + 50) / 100
        let sign = thousandths < 0 && tenths > 0 ? "-" : ""
        return tenths % 10 == 0 ? "\(sign)\(tenths / 10)" : "\(sign)\(tenths / 10).\(tenths % 10)"
    }
}
