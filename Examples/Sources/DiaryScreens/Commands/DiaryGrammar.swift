package import Terminal

/// The grammar of `food-diary`: all commands and options.
package enum DiaryGrammar {
    package static let grammar = Grammar(
        program: "food-diary",
        summary: "Keeps a diary of what you eat. Every screen follows changes, even those of other processes.",
        commands: [
            demo, today, log, edit, delete, search, context, month, trends, stats, watch, importing, exporting, seed, doctor, snapshot,
            report,
            evaluation, completion,
        ],
        common: [O.database.form, O.json.form, O.color.form],
        notes: [
            "The diary is the file given by --db, otherwise by $FOOD_DIARY_DB, otherwise food-diary/diary.db in $XDG_DATA_HOME or $HOME/.local/share.",
            "To share a diary between machines, keep it on a PostgreSQL server: --db postgresql://user@host/diary. To build food-diary with PostgreSQL: swift build --package-path Examples --scratch-path Examples/.build-postgres --traits Postgres",
            "Exit codes: 0 done, 1 failed, 2 invalid arguments, 130 interrupted. NO_COLOR=1 turns colors off.",
            "With --json, standard error is JSON, too, one object per line: {\"error\": …} with code, message and candidates, or {\"note\": …}.",
        ]
    )

    private typealias O = DiaryOptions

    private static let demo = CommandForm(
        "demo",
        "Demonstrates everything in ten seconds, with a temporary diary.",
        otherNames: ["tour", "example"]
    )

    private static let today = CommandForm(
        "today",
        "Shows what was eaten today, or on another day.",
        options: [O.day.form],
        samples: ["today", "today --day yesterday"],
        otherNames: ["day", "show", "list", "ls", "status"]
    )

    private static let log = CommandForm(
        "log",
        "Logs what was eaten.",
        details: [
            "The name is looked up among the names and aliases of the ingredients, and typing errors are tolerated. If several match, they are listed and nothing is logged.",
            "An amount is a weight (60g, 0.2kg, 2oz) or a number of portions that the ingredient has (2 slices).",
            "To log food that is not in the diary, add --kcal.",
        ],
        operands: [
            Operand(.text("NAME", meaning: "a name and an amount", sample: "rye bread"), "What was eaten."),
            Operand(.text("AMOUNT", meaning: "an amount", sample: "60g"), "How much: 60g, or 2 slices.", count: .any),
        ],
        options: [O.time.form] + [O.confidence, O.kilocalories, O.protein, O.carbohydrates, O.fat].forms,
        samples: [
            "log \"rye bread\" 60g", "log \"rye bread\" 2 slices --at \"2026-11-20 08:15\"", "log \"birthday cake\" 120g --kcal 410",
        ],
        otherNames: ["add", "eat", "new", "enter"]
    )

    private static let edit = CommandForm(
        "edit",
        "Changes an entry.",
        details: ["Nutrients are scaled with the amount, unless you give --kcal."],
        operands: [Operand(.entry, "The number of the entry, in the first column of today.")],
        options: [O.amount.form, O.name.form, O.time.form] + [O.confidence, O.kilocalories, O.protein, O.carbohydrates, O.fat].forms + [
            O.yes.form
        ],
        samples: ["edit 12 --amount 80g", "edit 12 --at \"2026-11-20 08:15\" --yes"],
        otherNames: ["change", "update", "set"]
    )

    private static let delete = CommandForm(
        "delete",
        "Deletes entries.",
        operands: [Operand(.entry, "The numbers of the entries, in the first column of today.", count: .some)],
        options: [O.yes.form],
        samples: ["delete 12", "delete 12 13 --yes"],
        otherNames: ["remove", "rm", "del", "undo"]
    )

    private static let search = CommandForm(
        "search",
        "Finds ingredients by the beginnings of their words, ignoring case and accents and tolerating typing errors.",
        operands: [Operand(.text("WORDS", meaning: "what you look for", sample: "oat"), "What you look for.", count: .some)],
        options: [O.category.form, O.limit.form],
        samples: ["search oat", "search \"ry bred\" --limit 5"],
        otherNames: ["find", "lookup", "grep"]
    )

    private static let context = CommandForm(
        "context",
        "Writes the ingredients a sentence may be about, as JSON for a language model.",
        operands: [Operand(.text("TEXT", meaning: "a sentence", sample: "two eggs"), "A description of a meal.", count: .some)],
        options: [O.tokens.form],
        samples: ["context \"two eggs and a slice of rye bread with butter\""],
        otherNames: ["llm", "prompt"]
    )

    private static let month = CommandForm(
        "month",
        "Shows a month as a calendar.",
        operands: [Operand(.month, "The month. Default: this month.", count: .optional)],
        options: [O.weekStart.form],
        samples: ["month", "month 2026-11"],
        otherNames: ["calendar", "cal"]
    )

    private static let trends = CommandForm(
        "trends",
        "Draws energy and macronutrients over time, and lists the food eaten most.",
        options: [O.days.form, O.from.form, O.to.form],
        samples: ["trends --days 90", "trends --from 2026-01-01 --to 2026-06-30"],
        otherNames: ["trend", "chart", "charts", "graph"]
    )

    private static let stats = CommandForm(
        "stats",
        "Shows the number of entries, in all and by hour of the day, and their average confidence.",
        options: [O.days.form, O.from.form, O.to.form],
        samples: ["stats", "stats --days 365"],
        otherNames: ["statistics", "usage"]
    )

    private static let watch = CommandForm(
        "watch",
        "Shows today on a live screen, which follows the changes of all processes.",
        details: ["q or Ctrl-C ends it."],
        options: [O.inspect.form],
        samples: ["watch", "watch --inspect"],
        otherNames: ["live", "follow", "top"]
    )

    private static let importing = CommandForm(
        "import",
        "Reads entries or ingredients from a file: all of it, or nothing.",
        details: [
            "Entries must be between 1900 and tomorrow, as when you log them. If one is on another day, its line is reported and nothing is imported."
        ],
        operands: [Operand(.file(sample: "foods.csv"), "The file: CSV, JSON or JSON Lines.")],
        options: [O.kind.form, O.format.form, O.dryRun.form],
        samples: ["import foods.csv --kind ingredients", "import entries.json --kind entries --dry-run"],
        otherNames: ["load", "read"]
    )

    private static let exporting = CommandForm(
        "export",
        "Writes entries or ingredients to a file; - is standard output.",
        details: [
            "Asks before it replaces a file. The file appears when it is complete; if the export fails, an existing file is kept.",
            "Without --from and --to all entries are written, including tomorrow's. Import only files that were written without --spreadsheet.",
        ],
        operands: [Operand(.file(sample: "foods.csv"), "The file: CSV, JSON or JSON Lines.")],
        options: [O.kind.form, O.format.form, O.from.form, O.to.form, O.spreadsheet.form, O.replace.form],
        samples: [
            "export entries.csv --kind entries", "export entries.csv --kind entries --replace", "export - --kind ingredients --format json",
            "export foods.csv --kind ingredients --spreadsheet",
        ],
        otherNames: ["dump", "save", "backup", "write"]
    )

    private static let seed = CommandForm(
        "seed",
        "Fills the diary with made-up ingredients and entries.",
        details: [
            "Adds all ingredients first, then all entries up to now. If it is interrupted between the two, run the same command again to continue."
        ],
        options: [O.days.form, O.perDay.form, O.ingredients.form, O.seed.form, O.yes.form],
        samples: ["seed --days 365", "seed --db /tmp/try.db --ingredients 100000 --seed 7"],
        otherNames: ["sample", "generate", "fill"]
    )

    private static let doctor = CommandForm(
        "doctor",
        "Checks the diary: the state and size of its file, and whether totals and search are right.",
        options: [O.repair.form, O.force.form, O.acknowledge.form],
        samples: ["doctor", "doctor --repair", "doctor --acknowledge"],
        otherNames: ["check", "health", "verify", "fsck"]
    )

    private static let snapshot = CommandForm(
        "snapshot",
        "Opens the screens, and shows what is cached, why each query ran, and how long that took.",
        otherNames: ["debug", "metrics", "cache", "info"]
    )

    private static let report = CommandForm(
        "report",
        "Writes a self-contained page with charts, for a browser or a printer.",
        details: ["Asks before it replaces a file. The page appears when it is complete; if that fails, an existing file is kept."],
        options: [O.page.form, O.days.form, O.to.form, O.replace.form],
        samples: ["report --html report.html", "report --html report.html --days 365 --replace"],
        otherNames: ["page", "html"]
    )

    private static let evaluation = CommandForm(
        "eval-search",
        "Measures the search: how many misspelled names it finds, and how fast.",
        details: [
            "The same numbers give the same questions on every machine. Without --mine it uses a temporary diary."
        ],
        options: [O.samples.form, O.ingredients.form, O.seed.form, O.mine.form],
        samples: ["eval-search --ingredients 10000 --samples 500", "eval-search --mine"],
        otherNames: ["eval", "bench"]
    )

    private static let completion = CommandForm(
        "completion",
        "Writes the script with which a shell completes the arguments of this program.",
        operands: [Operand(.choice("SHELL", Shell.self), "bash, zsh or fish.")],
        samples: ["completion bash"],
        otherNames: ["completions"]
    )
}

extension [Option<Double>] {
    fileprivate var forms: [OptionForm] { map(\.form) }
}
