/// An ingredient in JSON.
struct ExchangedIngredient: Decodable {
    let name: String
    let aliases: [String]?
    let category: String?
    let nutrients: ExchangedNutrients
    let portions: [Ingredient.Portion]?
}

/// Nutrients in JSON, with the set of those that are missing.
struct ExchangedNutrients: Decodable {
    let nutrients: Nutrients
    let omitted: Ingredient.Draft.Parts

    private struct Said: Decodable {
        let protein, carbohydrates, fat, fiber, sugar, salt: Double?
    }

    init(from decoder: any Decoder) throws {
        nutrients = try Nutrients(from: decoder)
        let said = try Said(from: decoder)
        let amounts = [said.protein, said.carbohydrates, said.fat, said.fiber, said.sugar, said.salt]
        omitted = zip(Ingredient.Draft.Parts.nutrients, amounts).reduce(into: []) { if $1.1 == nil { $0.insert($1.0) } }
    }
}

extension Ingredient.Draft: ExchangedDraft {
    typealias Object = ExchangedIngredient

    static let columns =
        [ExchangeColumn(name: "name", isRequired: true), ExchangeColumn(name: "aliases"), ExchangeColumn(name: "category")]
        + ExchangeColumn.nutrients + [ExchangeColumn(name: "portions")]

    init(_ row: ExchangeRow, _ zones: KnownTimeZones) throws {
        self.init(
            name: try row.text(0),
            aliases: ListText.elements(try row.text(1), separator: Byte.semicolon),
            category: Self.category(try row.text(2)),
            nutrients: try row.nutrients(from: 3),
            portions: try ListText.elements(try row.text(10), separator: Byte.semicolon, keepingEscapes: true).map(Self.portion)
        )
        for (column, part) in Self.omittable where row.places[column] == nil { omitted.insert(part) }
    }

    init(_ object: ExchangedIngredient, _ zones: KnownTimeZones) throws {
        self.init(
            name: object.name,
            aliases: object.aliases ?? [],
            category: Self.category(object.category ?? ""),
            nutrients: object.nutrients.nutrients,
            portions: object.portions ?? []
        )
        omitted = object.nutrients.omitted
        if object.aliases == nil { omitted.insert(.aliases) }
        if object.category == nil { omitted.insert(.category) }
        if object.portions == nil { omitted.insert(.portions) }
    }

    /// The parts that a table may omit, with the indices of their columns.
    private static let omittable: [(Int, Parts)] =
        [(1, .aliases), (2, .category)] + Parts.nutrients.enumerated().map { ($0.offset + 4, $0.element) } + [(10, .portions)]

    private static func category(_ name: String) -> IngredientCategory { name.isEmpty ? .other : IngredientCategory(rawValue: name) }

    private static func portion(_ text: String) throws -> Ingredient.Portion {
        let parts = ListText.elements(text, separator: Byte.equals)
        guard parts.count == 2, let grams = Double(parts[1]), grams.isFinite else {
            throw UnreadableValue(
                column: "portions",
                message: "'\(text.prefix(40))' is not a portion: write slice=30, with a semicolon between two portions."
            )
        }
        return Ingredient.Portion(parts[0], grams: grams)
    }

    /// The aliases in the format of one column.
    var aliasesText: String { aliases.map { ListText.escaped($0) }.joined(separator: ";") }

    /// The portions in the format of one column.
    var portionsText: String {
        portions.map { ListText.escaped($0.name) + "=" + DecimalText.text(Nutrients.rounded($0.grams)) }.joined(separator: ";")
    }
}

/// A list in one column: elements between separators, with a backslash before each character of an element that could be taken for a
/// separator.
enum ListText {
    /// Works on bytes rather than characters: a semicolon followed by a joiner forms one character with it, but is a separator
    /// nevertheless.
    static func escaped(_ element: String) -> String {
        guard element.utf8.contains(where: isSpecial) else { return element }
        var escaped: [UInt8] = []
        for byte in element.utf8 {
            if isSpecial(byte) { escaped.append(Byte.backslash) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func isSpecial(_ byte: UInt8) -> Bool { byte == Byte.semicolon || byte == Byte.equals || byte == Byte.backslash }

    /// The elements, without empty ones.
    static func elements(_ text: String, separator: UInt8, keepingEscapes: Bool = false) -> [String] {
        guard text.utf8.contains(Byte.backslash) else { return text.utf8.split(separator: separator).map { String(Substring($0)) } }
        var elements: [String] = []
        var element: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                element.append(byte)
                isEscaped = false
            } else if byte == Byte.backslash {
                isEscaped = true
                if keepingEscapes { element.append(byte) }
            } else if byte == separator {
                elements.append(String(decoding: element, as: UTF8.self))
                element = []
            } else {
                element.append(byte)
            }
        }
        elements.append(String(decoding: element, as: UTF8.self))
        return elements.filter { !$0.isEmpty }
    }
}

/// Thousandths as exact decimal numbers, without the rounding of floating-point numbers.
enum DecimalText {
    static func text(_ thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest != 0 else { return String(whole) }
        var digits = String(1000 + abs(rest)).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return (thousandths < 0 ? "-" : "") + String(abs(whole)) + "." + digits
    }
}
