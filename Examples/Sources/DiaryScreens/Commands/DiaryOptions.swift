package import FoodDiaryKit
import Foundation
import Terminal

/// What a file contains.
package enum ExchangeKind: String, CaseIterable, Sendable {
    case entries, ingredients
}

/// The format of a file.
package enum ExchangeFormat: String, CaseIterable, Sendable {
    case csv, json, jsonl
}

/// The first day of the week.
package enum WeekStart: String, CaseIterable, Sendable {
    case monday, sunday

    package var weekday: FoodWeekday { self == .monday ? .monday : .sunday }
}

/// The options of the diary, each defined once.
enum DiaryOptions {
    static let database = Option(
        "db",
        .file(meaning: "the file of a diary", sample: "diary.db"),
        "The diary's file, or postgresql://… for a diary on a server. See below for the default."
    )
    static let json = Flag("json", "Writes JSON, for scripts.")
    static let color = Option("color", .choice("WHEN", Console.ColorChoice.self), "Colors: always, auto (on a terminal) or never.")

    static let day = Option("day", .day, "The day. Default: today.")
    static let from = Option("from", .day, "The first day.")
    static let to = Option("to", .day, "The last day. Default: today.")
    static let days = Option("days", .whole(in: 1...3653, sample: 30), "The number of days, up to the last one.")
    static let weekStart = Option("week", .choice("DAY", WeekStart.self), "The first day of the week: monday or sunday.")

    static let time = Option("at", .moment, "When it was eaten. Default: now.")
    static let amount = Option(
        "amount",
        Value("AMOUNT", meaning: "a weight or portions such as 60g or \"2 slices\"", sample: "60g") { FoodAmount($0) },
        "The amount."
    )
    static let name = Option("name", .text("NAME", meaning: "a name", sample: "rye bread"), "The name.")
    static let confidence = Option("confidence", .number(in: 0...1, sample: "0.8"), "How sure you are, from 0 to 1.")
    static let kilocalories = Option(
        "kcal",
        .number(in: 0...45_000, sample: "250"),
        "Energy of the whole amount, for food that is not in the diary."
    )
    static let protein = Option("protein", .number(in: 0...5_000, sample: "8"), "Protein in the whole amount, in grams.")
    static let carbohydrates = Option("carbs", .number(in: 0...5_000, sample: "40"), "Carbohydrates in the whole amount, in grams.")
    static let fat = Option("fat", .number(in: 0...5_000, sample: "3"), "Fat in the whole amount, in grams.")

    static let limit = Option("limit", short: "n", .whole(in: 1...500, sample: 20), "The maximum number.")
    static let category = Option(
        "category",
        .category,
        "Only food of this category: \(IngredientCategory.known.map(\.rawValue).joined(separator: ", "))."
    )
    static let tokens = Option(
        "tokens",
        .whole(in: 100...100_000, sample: 1500),
        "The maximum size of the answer, in tokens of a language model."
    )
    static let yes = Flag("yes", short: "y", "Does it without asking.")

    static let kind = Option("kind", .choice("KIND", ExchangeKind.self), "What the file contains: entries or ingredients.")
    static let format = Option("format", .choice("FORMAT", ExchangeFormat.self), "csv, json or jsonl. Default: from the name of the file.")
    static let spreadsheet = Flag(
        "spreadsheet",
        "Writes CSV for a spreadsheet: a text that looks like a formula gets an apostrophe in front."
    )
    static let dryRun = Flag("dry-run", "Reads and checks everything, and writes nothing.")
    static let page = Option(
        "html",
        .file(meaning: "the page to write", sample: "report.html"),
        "Where the page is written; - is standard output."
    )

    static let perDay = Option("per-day", .whole(in: 1...100, sample: 5), "The number of entries per day.")
    static let ingredients = Option("ingredients", .whole(in: 10...1_000_000, sample: 1000), "The number of ingredients.")
    static let seed = Option("seed", .whole(in: 0...Int(Int32.max), sample: 1), "The same number gives the same data.")
    static let repair = Flag("repair", "Rebuilds totals that are wrong, and opens a diary whose list of migrations is damaged.")
    static let force = Flag(
        "force",
        "With --repair, if the diary is so damaged that it isn't recognized: keeps the file under another name, and saves what can be read into a new diary. Never for another program's database."
    )
    static let acknowledge = Flag(
        "acknowledge",
        "Confirms that you have read the report of a recovery, so that commands no longer repeat it."
    )
    static let inspect = Flag(
        "inspect",
        "Also opens a page for a browser on this machine, which shows each query, run and change. Prints its address to standard error."
    )
    static let samples = Option(
        "samples",
        .whole(in: 10...100_000, sample: 500),
        "The number of names. Each name is searched as it is and misspelled."
    )
    static let mine = Flag("mine", "Searches the ingredients of your diary instead of made-up ones.")
    static let replace = Flag("replace", "Replaces an existing file without asking; never a diary, another database, a folder or a device.")
}
