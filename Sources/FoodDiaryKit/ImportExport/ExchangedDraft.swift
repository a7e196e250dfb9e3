/// A draft that a file can contain, in CSV or in JSON: an entry or an ingredient.
protocol ExchangedDraft: Sendable {
    /// The JSON object of such a draft.
    associatedtype Object: Decodable

    static var columns: [ExchangeColumn] { get }

    /// Creates a draft from a row; throws an ``UnreadableValue`` or a ``FoodDiaryError``.
    init(_ row: ExchangeRow, _ zones: KnownTimeZones) throws

    /// Creates a draft from a JSON object.
    init(_ object: Object, _ zones: KnownTimeZones) throws

    func validated() throws -> Self
}

/// A column of a table.
struct ExchangeColumn {
    let name: String
    var isRequired = false

    /// The columns of the nutrients, in the order of ``Nutrients/amounts``.
    static let nutrients = Nutrients.zero.amounts.map { ExchangeColumn(name: $0.name, isRequired: $0.name == "kilocalories") }

    /// Whether a header names this column.
    func matches(_ header: String) -> Bool { header == name || (name == "kilocalories" && header == "kcal") }
}

/// The values of a row, in the order in which the type of draft lists its columns.
struct ExchangeRow {
    let columns: [ExchangeColumn]
    let fields: CSVReader.Row
    /// The position of each column in the file.
    let places: [Int?]

    /// A value; empty if there is none.
    func text(_ column: Int) throws -> String {
        guard let place = places[column] else { return "" }
        guard let text = fields[place] else { throw UnreadableValue(column: columns[column].name, message: "The text is not in UTF-8.") }
        return text
    }

    /// A number; `nil` if the value is empty.
    func number(_ column: Int) throws -> Double? {
        let text = FoodBounds.trimmed(try text(column))
        guard !text.isEmpty else { return nil }
        guard text.utf8.count <= 40, text.utf8.allSatisfy(Self.isNumeric), let number = Double(text), number.isFinite else {
            let hint = text.contains(",") ? ": write a point instead of a comma" : ""
            throw UnreadableValue(column: columns[column].name, message: "'\(text.prefix(40))' is not a number\(hint).")
        }
        return number
    }

    func required(_ column: Int) throws -> Double {
        guard let number = try number(column) else { throw UnreadableValue(column: columns[column].name, message: "A number is missing.") }
        return number
    }

    /// The seven nutrient columns, beginning at an index.
    func nutrients(from first: Int) throws -> Nutrients {
        Nutrients(
            kilocalories: try required(first),
            protein: try number(first + 1) ?? 0,
            carbohydrates: try number(first + 2) ?? 0,
            fat: try number(first + 3) ?? 0,
            fiber: try number(first + 4) ?? 0,
            sugar: try number(first + 5) ?? 0,
            salt: try number(first + 6) ?? 0
        )
    }

    /// Excludes words such as "nan", and numbers in other notations.
    private static func isNumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"),
            UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension FoodBounds {
    fileprivate static func trimmed(_ text: String) -> String {
        guard text.utf8.first == Byte.space || text.utf8.last == Byte.space else { return text }
        return tidied(text)
    }
}
