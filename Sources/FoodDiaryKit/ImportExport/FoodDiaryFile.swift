public import Foundation

/// A file with entries or ingredients, to take into a diary or to make of one.
///
/// ```swift
/// let file = try FoodDiaryFile(url)
/// let check = try await file.checkEntries(for: repositories.entries)
/// if check.problemCount == 0 { try await file.importEntries(into: repositories.entries) }
/// ```
///
/// Entries have `date` (as `2026-11-21T08:30:00+01:00`: the offset says what the clock on the wall showed), `time_zone`, `name`, `ingredient` (the name
/// of one), `grams`, the nutrients of that amount, and `confidence`. Ingredients have `name`, `aliases`, `category`, the nutrients of 100 g, and `portions`.
/// Only `date`, `name`, `grams` and `kilocalories` have to be there; of ingredients only `name` and `kilocalories`. A known ingredient keeps what the file
/// has no column for, or its object no value; an empty field is one that says there is nothing.
///
/// CSV is that of RFC 4180, in UTF-8, with a line that names columns, in any order; those of other names are left out and told of. A list lies
/// in one column: aliases as `apple;pomme`, portions as `slice=30;cup=240`, with a backslash before what is no separator. Values are written as they are:
/// a spreadsheet may take one that begins with `=` for a formula. Another text in its place would not be the same diary when it is read again, so
/// export with `forSpreadsheets: true` what a spreadsheet is to open, and without it what is to be imported.
///
/// JSON is an array of objects, or one object after the other; nutrients are an object, aliases and portions are arrays.
public struct FoodDiaryFile: Sendable {
    /// How rows are written.
    public enum Format: String, CaseIterable, Sendable {
        /// A line a row, with a line before them that names the columns.
        case csv
        /// An array of objects.
        case json
        /// An object a line.
        case jsonLines = "jsonl"
    }

    /// Where the file lies.
    public let url: URL

    /// How rows are written in it. Both kinds of JSON are read as what they turn out to be.
    public let format: Format

    /// Names a file; throws a ``FoodDiaryError`` if neither its name nor you say what is in it.
    public init(_ url: URL, format: Format? = nil) throws {
        let suffix = url.pathExtension.lowercased()
        guard let format = format ?? (suffix == "ndjson" ? .jsonLines : Format(rawValue: suffix)) else {
            throw FoodDiaryError(.format, "\(url.lastPathComponent) says nothing of its format; csv, json and jsonl are known.")
        }
        self.url = url
        self.format = format
    }

    var name: String { url.lastPathComponent }

    var path: String { url.path(percentEncoded: false) }
}
