/// The category of an ingredient.
///
/// The raw value is a name, so a file may contain categories that this version doesn't know.
public struct IngredientCategory: RawRepresentable, Hashable, Codable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let fruit = IngredientCategory(rawValue: "fruit")
    public static let vegetable = IngredientCategory(rawValue: "vegetable")
    public static let grain = IngredientCategory(rawValue: "grain")
    public static let legume = IngredientCategory(rawValue: "legume")
    public static let nut = IngredientCategory(rawValue: "nut")
    public static let dairy = IngredientCategory(rawValue: "dairy")
    public static let egg = IngredientCategory(rawValue: "egg")
    public static let meat = IngredientCategory(rawValue: "meat")
    public static let fish = IngredientCategory(rawValue: "fish")
    public static let fat = IngredientCategory(rawValue: "fat")
    public static let sweet = IngredientCategory(rawValue: "sweet")
    public static let spice = IngredientCategory(rawValue: "spice")
    public static let drink = IngredientCategory(rawValue: "drink")
    public static let dish = IngredientCategory(rawValue: "dish")
    public static let other = IngredientCategory(rawValue: "other")

    /// The categories that this version knows.
    public static let known: [IngredientCategory] = [
        .fruit, .vegetable, .grain, .legume, .nut, .dairy, .egg, .meat, .fish, .fat, .sweet, .spice, .drink, .dish, .other,
    ]
}

extension IngredientCategory: CustomStringConvertible {
    public var description: String { rawValue }
}
