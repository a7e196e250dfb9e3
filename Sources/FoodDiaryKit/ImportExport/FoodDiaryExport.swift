public import Foundation

/// Writes a diary as text, in the format of ``FoodDiaryFile``, to any destination: a pipe, a network connection, a file.
///
/// ```swift
/// let export = FoodDiaryExport(as: .csv)
/// try await export.entries(
///     of: repositories.entries,
///     ingredients: repositories.ingredients
/// ) { try standardOutput.write(contentsOf: $0) }
/// ```
///
/// Only a small part is in memory at a time. The export is not a snapshot: a change made while it runs may or may not be included.
public struct FoodDiaryExport: Sendable {
    /// Receives the next part of the text.
    public typealias Write = @Sendable (Data) throws -> Void

    /// The format of the text.
    public let format: FoodDiaryFile.Format

    /// Whether CSV fields that a spreadsheet would evaluate as a formula are prefixed with an apostrophe.
    ///
    /// Those are fields that begin with `=`, `+`, `-`, `@`, a tab or a line break. With the apostrophe, a name such as `=HYPERLINK(…)`
    /// remains text when the file is opened in a spreadsheet. An import reads the apostrophe as part of the name, so set this only for
    /// files that a spreadsheet opens. Has no effect on JSON.
    public let isForSpreadsheets: Bool

    /// Creates an export.
    ///
    /// - Parameters:
    ///   - format: The format of the text.
    ///   - isForSpreadsheets: See ``isForSpreadsheets``. Default: false, which writes all values as they are.
    public init(as format: FoodDiaryFile.Format, forSpreadsheets isForSpreadsheets: Bool = false) {
        (self.format, self.isForSpreadsheets) = (format, isForSpreadsheets)
    }

    /// Writes the entries of a range of days, oldest first, and returns their number.
    ///
    /// - Parameters:
    ///   - days: Default: all.
    ///   - entries: The repository of the entries.
    ///   - ingredients: The repository with the names of their ingredients.
    ///   - write: Receives the next part of the text. If it throws, the export ends with that error.
    ///   - progress: Called with the number of entries written so far.
    @concurrent
    @discardableResult
    public func entries(
        in days: ClosedRange<FoodDay> = FoodDay.range,
        of entries: any FoodEntryRepository,
        ingredients: any IngredientRepository,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in },
        to write: @escaping Write
    ) async throws -> Int {
        var text = ExchangeText(format, columns: FoodEntry.Draft.columns, forSpreadsheets: isForSpreadsheets)
        var names = IngredientNames(ingredients)
        let zones = KnownTimeZones()
        for day in try await Self.days(with: entries, in: days).reversed() {
            // Entries of the same moment are written in the order in which they were logged, so that an import keeps their order.
            var ofDay: [FoodEntry] = []
            while true {
                try Task.checkCancellation()
                let page = try await entries.entries(in: day...day, below: ofDay.last?.position, limit: 1000)
                ofDay += page
                if page.count < 1000 { break }
            }
            try await names.look(for: ofDay)
            for entry in ofDay.reversed() {
                text.append(entry, ingredient: names[entry.ingredientID], zones)
                if let part = text.part() { try write(part) }
            }
            progress(text.rowCount)
        }
        try write(text.end())
        return text.rowCount
    }

    /// The days with entries, newest first. Makes one query per day with entries, so gaps of years cost nothing.
    private static func days(with entries: any FoodEntryRepository, in days: ClosedRange<FoodDay>) async throws -> [FoodDay] {
        var found: [FoodDay] = []
        var rest = days
        while let day = try await entries.entries(in: rest, below: nil, limit: 1).first?.day {
            try Task.checkCancellation()
            found.append(day)
            guard day > rest.lowerBound else { break }
            rest = rest.lowerBound...day.advanced(by: -1)
        }
        return found
    }

    /// Writes all ingredients, in the order in which they were added, and returns their number.
    ///
    /// - Parameters:
    ///   - ingredients: The repository of the ingredients.
    ///   - write: Receives the next part of the text. If it throws, the export ends with that error.
    ///   - progress: Called with the number of ingredients written so far.
    @concurrent
    @discardableResult
    public func ingredients(
        of ingredients: any IngredientRepository,
        progress: @escaping @Sendable (_ count: Int) -> Void = { _ in },
        to write: @escaping Write
    ) async throws -> Int {
        var text = ExchangeText(format, columns: Ingredient.Draft.columns, forSpreadsheets: isForSpreadsheets)
        var last: Ingredient.ID?
        while true {
            try Task.checkCancellation()
            let page = try await ingredients.ingredients(after: last, limit: 1000)
            for ingredient in page {
                text.append(ingredient.draft)
                if let part = text.part() { try write(part) }
            }
            progress(text.rowCount)
            last = page.last?.id
            if page.count < 1000 { break }
        }
        try write(text.end())
        return text.rowCount
    }
}

/// The names of the ingredients of entries, at most a few thousand at a time.
private struct IngredientNames {
    private let repository: any IngredientRepository
    private var names: [Ingredient.ID: String] = [:]

    init(_ repository: any IngredientRepository) { self.repository = repository }

    subscript(id: Ingredient.ID?) -> String? { id.flatMap { names[$0] } }

    mutating func look(for entries: [FoodEntry]) async throws {
        let unknown = Set(entries.compactMap(\.ingredientID)).filter { names[$0] == nil }.sorted()
        guard !unknown.isEmpty else { return }
        if names.count > 10_000 { names = [:] }
        let wanted = names.isEmpty ? Set(entries.compactMap(\.ingredientID)).sorted() : unknown
        for start in stride(from: 0, to: wanted.count, by: 500) {
            let ids = Array(wanted[start..<min(start + 500, wanted.count)])
            for ingredient in try await repository.ingredients(ids) { names[ingredient.id] = ingredient.name }
        }
    }
}
