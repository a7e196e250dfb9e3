public import FoodDiaryKit
import Foundation
public import QueryKitSQLite

extension Ingredient: SQLiteRowDecodable {
    /// The columns of an ingredient, for a table with the alias `i`.
    static let columns: SQL = """
        i.id, i.name, i.aliases, i.category, i.kilocalories, i.protein, i.carbohydrates, i.fat, i.fiber, i.sugar, i.salt, i.portions, i.usage_count
        """

    public init(row: borrowing SQLiteRow) throws {
        let draft = Draft(
            name: try row[1],
            aliases: Self.lines(try row[2]),
            category: IngredientCategory(rawValue: try row[3]),
            nutrients: try Nutrients(row, from: 4),
            portions: Self.portions(try row[11])
        )
        self.init(id: ID(rawValue: try row[0]), draft, usageCount: Int(try row.number(12, in: StoredNumber.count)))
    }

    private static func lines(_ text: String) -> [String] {
        text.isEmpty ? [] : text.split(separator: "\n").map { String($0) }
    }

    private static func portions(_ text: String) -> [Portion] {
        lines(text).compactMap { line in
            // Compare bytes: a space followed by a joiner is a single character.
            guard let space = line.utf8.firstIndex(of: UInt8(ascii: " ")), let thousandths = Int64(line[..<space]) else { return nil }
            return Portion(String(line[line.utf8.index(after: space)...]), grams: Double(thousandths) / 1000)
        }
    }
}

extension Ingredient.Draft {
    /// The stored form of the portions: one per line, with thousandths of a gram before the name.
    var portionLines: String { portions.map { "\(Nutrients.rounded($0.grams)) \($0.name)" }.joined(separator: "\n") }
}

extension Nutrients {
    /// Reads seven columns, starting with `kilocalories`.
    init(_ row: borrowing SQLiteRow, from first: Int, in bounds: ClosedRange<Int64> = StoredNumber.amount) throws {
        self.init(
            thousandths: Thousandths(
                kilocalories: try row.number(first, in: bounds),
                protein: try row.number(first + 1, in: bounds),
                carbohydrates: try row.number(first + 2, in: bounds),
                fat: try row.number(first + 3, in: bounds),
                fiber: try row.number(first + 4, in: bounds),
                sugar: try row.number(first + 5, in: bounds),
                salt: try row.number(first + 6, in: bounds)
            )
        )
    }
}
