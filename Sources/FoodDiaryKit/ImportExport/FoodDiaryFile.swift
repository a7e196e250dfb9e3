public import Foundation

/// A file with entries or ingredients, to import or to export.
///
/// ```swift
/// let file = try FoodDiaryFile(url)
/// let check = try await file.checkEntries(for: repositories.entries)
/// if check.problemCount == 0 {
///     try await file.importEntries(into: repositories.entries)
/// }
/// ```
///
/// Entries have `date` (as `2026-11-21T08:30:00+01:00`, with the offset of the local clock), `time_zone`, `name`, `ingredient` (the name of
/// an ingredient), `grams`, the nutrients of that amount, and `confidence`. Ingredients have `name`, `aliases`, `category`, the nutrients
/// of 100 g, and `portions`. Entries require only `date`, `name`, `grams` and `kilocalories`, ingredients only `name` and `kilocalories`.
/// Importing an existing ingredient changes only the properties for which the CSV file has a column, or the JSON object has a value. An
/// empty field removes the old value.
///
/// CSV follows RFC 4180, in UTF-8. The first line names the columns, in any order; unknown columns are ignored and reported. A list is in
/// one column: aliases as `apple;pomme`, portions as `slice=30;cup=240`. A backslash escapes a separator that is part of a name. Values are
/// written unchanged, so a spreadsheet may take a value that begins with `=` for a formula. To prevent that, export with
/// `forSpreadsheets: true`. Don't import such a file again, because it contains changed values.
///
/// JSON is an array of objects, or a sequence of objects. Nutrients are an object, aliases and portions are arrays.
public struct FoodDiaryFile: Sendable {
    /// The format of the rows.
    public enum Format: String, CaseIterable, Sendable {
        /// One line per row, after a line that names the columns.
        case csv
        /// An array of objects.
        case json
        /// One object per line.
        case jsonLines = "jsonl"
    }

    /// The location of the file.
    public let url: URL

    /// The format of the rows. If it is one of the JSON formats, an import accepts both of them.
    public let format: Format

    /// Creates a file with a location and a format; throws a ``FoodDiaryError`` if you pass no format and the name has no known extension.
    public init(_ url: URL, format: Format? = nil) throws {
        let suffix = url.pathExtension.lowercased()
        guard let format = format ?? (suffix == "ndjson" ? .jsonLines : Format(rawValue: suffix)) else {
            throw FoodDiaryError(.format, "\(url.lastPathComponent) has no known format: use a name that ends in .csv, .json or .jsonl.")
        }
        self.url = url
        self.format = format
    }

    var name: String { url.lastPathComponent }

    var path: String { url.path(percentEncoded: false) }
}
