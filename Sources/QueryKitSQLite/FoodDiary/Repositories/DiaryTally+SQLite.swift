import FoodDiaryKit
import QueryKitSQLite

extension DiaryTally {
    /// If more ingredients than this have changed, the whole index is rebuilt, which is faster than moving each one.
    private static var movesAtMost: Int { 2_000 }

    func apply(in db: SQLiteWriteTransaction) throws {
        for (day, change) in days { try apply(change, to: day, in: db) }
        let changed = usage.filter { $0.value != 0 }
        let isBulk = changed.count > Self.movesAtMost
        for (id, change) in changed {
            guard let ingredient = try db.row(Ingredient.self, "SELECT \(Ingredient.columns) FROM ingredients AS i WHERE i.id = \(id)")
            else { continue }
            let count = max(0, ingredient.usageCount + change)
            try db.execute("UPDATE ingredients SET usage_count = \(count) WHERE id = \(id)")
            if !isBulk { try IngredientIndex.move(ingredient, toUsage: count, in: db) }
        }
        if isBulk { try IngredientIndex.rebuild(in: db) }
    }

    private func apply(_ change: Day, to day: FoodDay, in db: SQLiteWriteTransaction) throws {
        if !change.isEven { try add(change, to: day, in: db) }
        for (hour, count) in change.hours where count != 0 { try add(count, to: hour, of: day, in: db) }
    }

    private func add(_ change: Day, to day: FoodDay, in db: SQLiteWriteTransaction) throws {
        let amounts = change.nutrients.thousandths
        try db.execute(
            """
            INSERT INTO daily_totals (day, entry_count, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence)
            VALUES (\(day), \(change.entryCount), \(amounts.kilocalories), \(amounts.protein), \(amounts.carbohydrates), \(amounts.fat),
                \(amounts.fiber), \(amounts.sugar), \(amounts.salt), \(change.confidence))
            ON CONFLICT (day) DO UPDATE SET
                entry_count = entry_count + excluded.entry_count, kilocalories = kilocalories + excluded.kilocalories,
                protein = protein + excluded.protein, carbohydrates = carbohydrates + excluded.carbohydrates, fat = fat + excluded.fat,
                fiber = fiber + excluded.fiber, sugar = sugar + excluded.sugar, salt = salt + excluded.salt,
                confidence = confidence + excluded.confidence
            """
        )
        if change.entryCount < 0 { try db.execute("DELETE FROM daily_totals WHERE day = \(day) AND entry_count <= 0") }
    }

    private func add(_ count: Int64, to hour: Int, of day: FoodDay, in db: SQLiteWriteTransaction) throws {
        try db.execute(
            """
            INSERT INTO hourly_counts (day, hour, entry_count) VALUES (\(day), \(hour), \(count))
            ON CONFLICT (day, hour) DO UPDATE SET entry_count = entry_count + excluded.entry_count
            """
        )
        if count < 0 { try db.execute("DELETE FROM hourly_counts WHERE day = \(day) AND hour = \(hour) AND entry_count <= 0") }
    }
}
