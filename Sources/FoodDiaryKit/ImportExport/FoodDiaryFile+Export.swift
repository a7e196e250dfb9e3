import Foundation

extension FoodDiaryFile {
    /// Writes the entries of a range of days to the file, oldest first, and returns their number.
    ///
    /// The file appears when it is complete. Throws a ``FoodDiaryError`` if the file exists, unless it may be replaced. Databases and their
    /// companion files, folders and devices are never replaced: see ``FoodDiaryOutput``. With `forSpreadsheets` no CSV field is a formula:
    /// see ``FoodDiaryExport/isForSpreadsheets``.
    @discardableResult
    public func exportEntries(
        in days: ClosedRange<FoodDay> = FoodDay.range,
        of entries: any FoodEntryRepository,
        ingredients: any IngredientRepository,
        replacing: Bool = false,
        forSpreadsheets: Bool = false,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> Int {
        try await FoodDiaryOutput(url).write(replacing: replacing) { write in
            try await FoodDiaryExport(as: format, forSpreadsheets: forSpreadsheets).entries(
                in: days,
                of: entries,
                ingredients: ingredients,
                progress: progress,
                to: write
            )
        }
    }

    /// Writes all ingredients to the file and returns their number.
    ///
    /// The file appears when it is complete. Throws a ``FoodDiaryError`` if the file exists, unless it may be replaced. Databases and their
    /// companion files, folders and devices are never replaced: see ``FoodDiaryOutput``. With `forSpreadsheets` no CSV field is a formula:
    /// see ``FoodDiaryExport/isForSpreadsheets``.
    @discardableResult
    public func exportIngredients(
        of ingredients: any IngredientRepository,
        replacing: Bool = false,
        forSpreadsheets: Bool = false,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> Int {
        try await FoodDiaryOutput(url).write(replacing: replacing) { write in
            try await FoodDiaryExport(as: format, forSpreadsheets: forSpreadsheets).ingredients(
                of: ingredients,
                progress: progress,
                to: write
            )
        }
    }
}
