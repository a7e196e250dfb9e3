#if Postgres
public import FoodDiaryKit
import Foundation
public import QueryKitPostgres

extension Ingredient: PostgresRowDecodable {
    /// The columns of an ingredient, for a table with the alias `i`.
    static let columns: SQL = """
        i.id, i.name, i.aliases, i.category, i.kilocalories, i.protein, i.carbohydrates, i.fat, i.fiber, i.sugar, i.salt, i.portions, i.usage_count
        """

    public init(row: borrowing PostgresRow) throws {
        let draft = Draft(
            name: try row[1],
            aliases: Self.lines(try row[2]),
            category: IngredientCategory(rawValue: try row[3]),
            nutrients: try Nutrients(row, from: 4),
            portions: Self.portions(try row[11])
        )
        self.init(id: ID(rawValue: try row[0]), draft, usageCount: try row[12])
    }

    private static func lines(_ text: String) -> [String] { text.isEmpty ? [] : text.split(separator: "\n").map { String($0) } }

    private static func portions(_ text: String) -> [Portion] {
        lines(text).compactMap { line in
            // Compare bytes: a space followed by a joiner is a single character.
            guard let space = line.utf8.firstIndex(of: UInt8(ascii: " ")), let thousandths = Int64(line[..<space]) else { return nil }
            return Portion(String(line[line.utf8.index(after: space)...]), grams: Double(thousandths) / 1000)
        }
    }
}

/// Ingredients to be written by one statement, column by column.
struct IngredientColumns {
    private var (ids, names, keys, aliases) = (ColumnValues(), ColumnValues(), ColumnValues(), ColumnValues())
    private var (categories, portions) = (ColumnValues(), ColumnValues())
    private var nutrients = NutrientColumns()

    init(_ ingredients: some Sequence<Ingredient>) {
        for ingredient in ingredients {
            let draft = ingredient.draft
            ids.append(ingredient.id.rawValue)
            names.append(draft.name)
            keys.append(Ingredient.key(of: draft.name))
            aliases.append(draft.aliasLines)
            categories.append(draft.category.rawValue)
            nutrients.append(draft.nutrients)
            // One portion per line, with thousandths of a gram before the name.
            portions.append(draft.portions.map { "\(Nutrients.rounded($0.grams)) \($0.name)" }.joined(separator: "\n"))
        }
    }

    private var rows: SQL {
        """
        unnest(
            \(ids.array("bigint[]")), \(names.array("text[]")), \(keys.array("text[]")), \(aliases.array("text[]")), \(categories.array("text[]")),
            \(nutrients.arrays), \(portions.array("text[]"))
        ) AS r (id, name, name_key, aliases, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, portions)
        """
    }

    /// Inserts the ingredients as new rows.
    var insertion: SQL {
        """
        INSERT INTO ingredients (
            id, name, name_key, aliases, category, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, portions
        )
        SELECT r.id, r.name, r.name_key, r.aliases, r.category, r.kilocalories, r.protein, r.carbohydrates, r.fat, r.fiber, r.sugar, r.salt, r.portions
        FROM \(rows)
        """
    }

    /// Overwrites all columns of existing rows except the usage.
    var update: SQL {
        """
        UPDATE ingredients AS i SET
            name = r.name, name_key = r.name_key, aliases = r.aliases, category = r.category, kilocalories = r.kilocalories, protein = r.protein,
            carbohydrates = r.carbohydrates, fat = r.fat, fiber = r.fiber, sugar = r.sugar, salt = r.salt, portions = r.portions
        FROM \(rows) WHERE i.id = r.id
        """
    }
}
#endif
