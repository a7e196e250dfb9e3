#if Postgres
import FoodDiaryKit
import QueryKitPostgres

extension Nutrients {
    /// Reads seven columns, starting with `kilocalories`.
    init(_ row: borrowing PostgresRow, from first: Int) throws {
        self.init(
            thousandths: Thousandths(
                kilocalories: try row[first],
                protein: try row[first + 1],
                carbohydrates: try row[first + 2],
                fat: try row[first + 3],
                fiber: try row[first + 4],
                sugar: try row[first + 5],
                salt: try row[first + 6]
            )
        )
    }
}

/// The nutrients of many rows, column by column.
struct NutrientColumns {
    private var (kilocalories, protein, carbohydrates, fat) = (ColumnValues(), ColumnValues(), ColumnValues(), ColumnValues())
    private var (fiber, sugar, salt) = (ColumnValues(), ColumnValues(), ColumnValues())

    mutating func append(_ nutrients: Nutrients) {
        let amounts = nutrients.thousandths
        kilocalories.append(amounts.kilocalories)
        protein.append(amounts.protein)
        carbohydrates.append(amounts.carbohydrates)
        fat.append(amounts.fat)
        fiber.append(amounts.fiber)
        sugar.append(amounts.sugar)
        salt.append(amounts.salt)
    }

    /// The seven arrays, starting with `kilocalories`.
    var arrays: SQL {
        SQL(joining: [kilocalories, protein, carbohydrates, fat, fiber, sugar, salt].map { $0.array("bigint[]") })
    }
}
#endif
