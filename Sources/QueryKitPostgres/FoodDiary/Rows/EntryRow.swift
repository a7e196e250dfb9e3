#if Postgres
public import FoodDiaryKit
public import QueryKitPostgres

extension FoodEntry: PostgresRowDecodable {
    /// The columns of an entry, for a table with the alias `e`.
    static let columns: SQL = """
        e.id, \(StoredMoment.number(ofDay: "e.day")), \(StoredMoment.milliseconds(of: "e.logged_at")), e.hour, e.time_zone, e.ingredient, e.name,
        e.grams, e.kilocalories, e.protein, e.carbohydrates, e.fat, e.fiber, e.sugar, e.salt, e.confidence
        """

    public init(row: borrowing PostgresRow) throws {
        self.init(
            id: ID(rawValue: try row[0]),
            name: try row[6],
            ingredientID: (try row[5] as Int64?).map { Ingredient.ID(rawValue: $0) },
            gramThousandths: try row[7],
            nutrients: try Nutrients(row, from: 8),
            moment: FoodMoment(milliseconds: try row[2], timeZone: try row[4], day: try row.day(1), hour: try row[3]),
            confidenceThousandths: try row[15]
        )
    }
}

/// Entries to be written by one statement, column by column.
struct EntryColumns {
    private var (ids, days, moments, hours, zones) = (ColumnValues(), ColumnValues(), ColumnValues(), ColumnValues(), ColumnValues())
    private var (ingredients, names, grams, confidences) = (ColumnValues(), ColumnValues(), ColumnValues(), ColumnValues())
    private var nutrients = NutrientColumns()

    init(_ entries: some Sequence<FoodEntry>) {
        for entry in entries {
            ids.append(entry.id.rawValue)
            days.append(entry.day.stored)
            moments.append(entry.moment.milliseconds)
            hours.append(Int64(entry.moment.hour))
            zones.append(entry.moment.timeZone)
            ingredients.append(entry.ingredientID?.rawValue)
            names.append(entry.name)
            grams.append(Nutrients.rounded(entry.grams))
            nutrients.append(entry.nutrients)
            confidences.append(Nutrients.rounded(entry.confidence))
        }
    }

    private var rows: SQL {
        """
        unnest(
            \(ids.array("bigint[]")), \(days.array("date[]")), \(moments.array("bigint[]")), \(hours.array("smallint[]")), \(zones.array("text[]")),
            \(ingredients.array("bigint[]")), \(names.array("text[]")), \(grams.array("bigint[]")), \(nutrients.arrays),
            \(confidences.array("smallint[]"))
        ) AS r (
            id, day, milliseconds, hour, time_zone, ingredient, name, grams, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence
        )
        """
    }

    /// Inserts the entries as new rows.
    var insertion: SQL {
        """
        INSERT INTO entries (
            id, day, logged_at, hour, time_zone, ingredient, name, grams, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence
        )
        SELECT r.id, r.day, \(StoredMoment.moment("r.milliseconds")), r.hour, r.time_zone, r.ingredient, r.name, r.grams, r.kilocalories, r.protein,
            r.carbohydrates, r.fat, r.fiber, r.sugar, r.salt, r.confidence
        FROM \(rows)
        """
    }

    /// Overwrites all columns of existing rows.
    var update: SQL {
        """
        UPDATE entries AS e SET
            day = r.day, logged_at = \(StoredMoment.moment("r.milliseconds")), hour = r.hour, time_zone = r.time_zone, ingredient = r.ingredient,
            name = r.name, grams = r.grams, kilocalories = r.kilocalories, protein = r.protein, carbohydrates = r.carbohydrates, fat = r.fat,
            fiber = r.fiber, sugar = r.sugar, salt = r.salt, confidence = r.confidence
        FROM \(rows) WHERE e.id = r.id
        """
    }
}
#endif
