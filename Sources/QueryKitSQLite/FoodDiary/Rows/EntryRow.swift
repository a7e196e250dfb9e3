public import FoodDiaryKit
public import QueryKitSQLite

extension FoodEntry: SQLiteRowDecodable {
    /// The columns of an entry, for a table with the alias `e`.
    static let columns: SQL = """
        e.id, e.day, e.logged_at, e.hour, e.time_zone, e.ingredient, e.name, e.grams, e.kilocalories, e.protein, e.carbohydrates, e.fat, e.fiber,
        e.sugar, e.salt, e.confidence
        """

    public init(row: borrowing SQLiteRow) throws { try self.init(row, name: try row[6], timeZone: try row[4]) }

    /// Reads an entry of a long list with repeated names.
    init(row: borrowing SQLiteRow, sharing texts: inout SharedTexts) throws {
        try self.init(row, name: try texts.text(row, 6), timeZone: try texts.text(row, 4))
    }

    private init(_ row: borrowing SQLiteRow, name: String, timeZone: String) throws {
        self.init(
            id: try row[0],
            name: name,
            ingredientID: try row[5],
            gramThousandths: try row.number(7, in: StoredNumber.amount),
            nutrients: try Nutrients(row, from: 8),
            moment: FoodMoment(
                milliseconds: try row.number(2, in: StoredNumber.moment),
                timeZone: timeZone,
                day: try row[1],
                hour: Int(try row.number(3, in: StoredNumber.hour))
            ),
            confidenceThousandths: try row.number(15, in: StoredNumber.confidence)
        )
    }

    /// Inserts an entry with its id or, if the id is NULL, with a new id.
    static let insertion: StaticString = """
        INSERT INTO entries (
            id, day, logged_at, hour, time_zone, ingredient, name, grams, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence
        ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

extension SQLiteWriteTransaction {
    /// Inserts a draft as a new entry.
    func insert(_ draft: FoodEntry.Draft, _ ingredient: Ingredient.ID?, with insertion: borrowing SQLitePreparedStatement) throws
        -> FoodEntry
    {
        let (moment, amounts) = (draft.moment, draft.nutrients.thousandths)
        try insertion.run(
            Int64?.none,
            moment.day,
            moment.milliseconds,
            moment.hour,
            moment.timeZone,
            ingredient,
            draft.name,
            Nutrients.rounded(draft.grams),
            amounts.kilocalories,
            amounts.protein,
            amounts.carbohydrates,
            amounts.fat,
            amounts.fiber,
            amounts.sugar,
            amounts.salt,
            Nutrients.rounded(draft.confidence)
        )
        return FoodEntry(id: FoodEntry.ID(rawValue: lastInsertedRowID), draft, ingredientID: ingredient)
    }
}
