/// An ingredient in JSON.
struct ExchangedIngredient: Decodable {
    let name: String
    let aliases: [String]?
    let category: String?
    let nutrients: Nutrients
    let portions: [Ingredient.Portion]?
}

extension Ingredient.Draft: ExchangedDraft {
    typealias Object = ExchangedIngredient

    static let columns =
        [ExchangeColumn(name: "name", isRequired: true), ExchangeColumn(name: "aliases"), ExchangeColumn(name: "category")]
        + ExchangeColumn.nutrients + [ExchangeColumn(name: "portions")]

    init(_ row: ExchangeRow, _ zones: KnownTimeZones) throws {
        self.init(
            name: try row.text(0),
            aliases: ListText.elements(try row.text(1), separator: ";"),
            category: Self.category(try row.text(2)),
            nutrients: try row.nutrients(from: 3),
            portions: try ListText.elements(try row.text(10), separator: ";", keepingEscapes: true).map(Self.portion)
        )
    }

    init(_ object: ExchangedIngredient, _ zones: KnownTimeZones) throws {
        self.init(
            name: object.name,
            aliases: object.aliases ?? [],
            category: Self.category(object.category ?? ""),
            nutrients: object.nutrients,
            portions: object.portions ?? []
        )
    }

    private static func category(_ name: String) -> IngredientCategory { name.isEmpty ? .other : IngredientCategory(rawValue: name) }

    private static func portion(_ text: String) throws -> Ingredient.Portion {
        let parts = ListText.elements(text, separator: "=")
        guard parts.count == 2, let grams = Double(parts[1]), grams.isFinite else {
            throw UnreadableValue(
                column: "portions",
                message: "'\(text.prefix(40))' is no portion: write it as slice=30, and the next after a semicolon."
            )
        }
        return Ingredient.Portion(parts[0], grams: grams)
    }

    /// The aliases in one column.
    var aliasesText: String { aliases.map { ListText.escaped($0) }.joined(separator: ";") }

    /// The portions in one column.
    var portionsText: String {
        portions.map { ListText.escaped($0.name) + "=" + DecimalText.text(Nutrients.rounded($0.grams)) }.joined(separator: ";")
    }
}

/// A list in one column: its elements between separators, with a backslash before a character of an element that would be taken for one.
enum ListText {
    static func escaped(_ element: String) -> String {
        // By scalars: a semicolon that a joiner follows is one character with it, and a separator nevertheless.
        var escaped = String.UnicodeScalarView()
        for scalar in element.unicodeScalars {
            if scalar == ";" || scalar == "=" || scalar == "\\" { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }

    /// The elements, of which empty ones are left out.
    static func elements(_ text: String, separator: Unicode.Scalar, keepingEscapes: Bool = false) -> [String] {
        var elements: [String] = []
        var element = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                element.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
                if keepingEscapes { element.append(scalar) }
            } else if scalar == separator {
                elements.append(String(element))
                element = String.UnicodeScalarView()
            } else {
                element.append(scalar)
            }
        }
        elements.append(String(element))
        return elements.filter { !$0.isEmpty }
    }
}

/// Amounts in thousandths as decimal numbers, without what a floating-point number would add to them.
enum DecimalText {
    static func text(_ thousandths: Int64) -> String {
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest != 0 else { return String(whole) }
        var digits = String(1000 + abs(rest)).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return (thousandths < 0 ? "-" : "") + String(abs(whole)) + "." + digits
    }
}
