public import Foundation

/// Writes a diary as text, in the format of ``FoodDiaryFile``, to wherever somebody wants it: a pipe, a network, a file.
///
/// ```swift
/// let export = FoodDiaryExport(as: .csv)
/// try await export.entries(of: repositories.entries, ingredients: repositories.ingredients) { try standardOutput.write(contentsOf: $0) }
/// ```
///
/// A little is in memory at a time. It is not of one moment: what changes meanwhile may or may not be in it.
public struct FoodDiaryExport: Sendable {
    /// Takes the next part of the text.
    public typealias Write = @Sendable (Data) throws -> Void

    /// How rows are written.
    public let format: FoodDiaryFile.Format

    /// Whether texts in CSV that a spreadsheet would take for a formula have an apostrophe in front.
    ///
    /// Those begin with `=`, `+`, `-`, `@`, a tab or a line break. A name that somebody made up, such as `=HYPERLINK(…)`, then stays a text when the file is
    /// opened in a spreadsheet. The apostrophe is part of the name when the file is imported again, so use it only for files that a spreadsheet opens. JSON
    /// is the same with it and without it.
    public let isForSpreadsheets: Bool

    /// Chooses a format.
    ///
    /// - Parameters:
    ///   - format: How rows are written.
    ///   - isForSpreadsheets: See ``isForSpreadsheets``. Default: false, which writes all values as they are.
    public init(as format: FoodDiaryFile.Format, forSpreadsheets isForSpreadsheets: Bool = false) {
        (self.format, self.isForSpreadsheets) = (format, isForSpreadsheets)
    }

    /// Writes the entries of some days, the oldest first, and answers with their number.
    ///
    /// - Parameters:
    ///   - days: Default: all.
    ///   - entries: Where they are.
    ///   - ingredients: Where the names of their ingredients are.
    ///   - write: Takes the next part of the text; what it throws ends the export.
    ///   - progress: Told how many entries were written.
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
            // Of one moment, what was logged first comes first: so they keep their order when they are read again.
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

    /// The days with entries, the newest first: one question for each, whichever years lie between them.
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

    /// Writes all ingredients, in the order in which they were added, and answers with their number.
    ///
    /// - Parameters:
    ///   - ingredients: Where they are.
    ///   - write: Takes the next part of the text; what it throws ends the export.
    ///   - progress: Told how many ingredients were written.
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

/// What the ingredients of entries are called; a few thousand at a time.
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
