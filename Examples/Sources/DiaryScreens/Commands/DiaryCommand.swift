package import FoodDiaryKit
package import Terminal

/// A parsed command with its arguments.
package enum DiaryCommand: Sendable {
    case demo
    case today(DayWord)
    case log(FoodWords, Circumstances)
    case edit(FoodEntry.ID, FoodAmount?, name: String?, Circumstances, isConfirmed: Bool)
    case delete([FoodEntry.ID], isConfirmed: Bool)
    case search(String, IngredientCategory?, limit: Int)
    case context(String, tokens: Int?)
    case month(FoodMonth?, WeekStart)
    case trends(Period)
    case stats(Period)
    case watch(isInspected: Bool)
    case importing(String, ExchangeKind, ExchangeFormat, isDryRun: Bool)
    case exporting(String, ExchangeKind, ExchangeFormat, ExportWish)
    case seed(Seeding, isConfirmed: Bool)
    case doctor(Repair?, acknowledges: Bool = false)
    case snapshot
    case report(page: String, Period, replaces: Bool)
    case evaluation(Evaluation)
    case completion(Shell)

    /// The repair that the command makes, if any.
    package var repair: Repair? { if case .doctor(let repair, _) = self { repair } else { nil } }

    /// Which files a repair accepts.
    package enum Repair: Sendable {
        /// A file that is recognized as a diary.
        case recognizedDiary
        /// Also a file that shows no sign of being a diary. The user has confirmed that it is one.
        case anyFile
    }

    /// The arguments of an export.
    package struct ExportWish: Sendable {
        /// The first day; `nil` exports from the first entry on.
        let first: DayWord?
        /// The last day; `nil` exports to the last entry.
        let last: DayWord?
        let forSpreadsheets: Bool
        let replaces: Bool

        func days(today: FoodDay) throws -> ClosedRange<FoodDay> {
            let first = first?.day(today: today) ?? FoodDay.range.lowerBound
            let last = last?.day(today: today) ?? FoodDay.range.upperBound
            guard first <= last else { throw UsageError("\(first) comes after \(last); such as: --from \(last) --to \(first)") }
            return first...last
        }
    }

    /// The optional arguments of a meal besides food and amount.
    package struct Circumstances: Sendable {
        package let time: MomentWord?
        package let confidence: Double?
        package let nutrients: Nutrients?
    }

    package struct Seeding: Sendable {
        package let days: Int
        package let perDay: Int
        package let ingredients: Int
        package let seed: Int
    }

    package struct Evaluation: Sendable {
        package let samples: Int
        package let ingredients: Int
        package let seed: Int

        /// Whether to search the diary's own ingredients.
        package let isMine: Bool
    }
}

/// A range of days as a user specifies it.
package struct Period: Hashable, Sendable {
    let first: DayWord?
    let last: DayWord
    let count: Int

    /// The maximum number of days on one screen. It is also the limit of the diary's requests for totals.
    private static let limit = 3_653

    /// The days to show on one screen.
    func shown(today: FoodDay) throws -> ClosedRange<FoodDay> {
        let days = try days(today: today)
        guard days.count <= Self.limit else {
            let first = days.upperBound.advanced(by: 1 - Self.limit)
            throw UsageError(
                "\(FoodNumber.days(days.count)) are too many for one screen; use at most ten years, such as: --from \(first) --to \(days.upperBound)"
            )
        }
        return days
    }

    package func days(today: FoodDay) throws -> ClosedRange<FoodDay> {
        let last = last.day(today: today)
        let first = first?.day(today: today) ?? last.advanced(by: 1 - count)
        guard first <= last else { throw UsageError("\(first) comes after \(last); such as: --from \(last) --to \(first)") }
        return first...last
    }
}

extension DiaryCommand {
    /// Creates the command for arguments that fit the grammar; throws if they contradict each other.
    package init(_ words: Arguments) throws {
        typealias O = DiaryOptions
        switch words.command {
        case "demo": self = .demo
        case "today": self = .today(words[O.day] ?? .today)
        case "log": self = .log(try FoodWords(words.operands), try Circumstances(words))
        case "edit": self = try .edit(words)
        case "delete":
            self = .delete(words.operands.indices.compactMap { words.operand($0, as: .entry) }, isConfirmed: words[O.yes])
        case "search":
            self = .search(words.operands.joined(separator: " "), words[O.category], limit: words[O.limit] ?? 20)
        case "context": self = .context(words.operands.joined(separator: " "), tokens: words[O.tokens])
        case "month": self = .month(words.operand(0, as: .month), words[O.weekStart] ?? .monday)
        case "trends": self = .trends(try Period(words, count: 30))
        case "stats": self = .stats(try Period(words, count: 30))
        case "watch": self = .watch(isInspected: words[O.inspect])
        case "import":
            let file = words.operands[0]
            self = .importing(file, try words.kind(), try words.format(of: file), isDryRun: words[O.dryRun])
        case "export":
            let file = words.operands[0]
            let format = try words.format(of: file)
            if words[O.spreadsheet], format != .csv {
                throw UsageError("--spreadsheet is for CSV; such as: food-diary export foods.csv --kind \(try words.kind()) --spreadsheet")
            }
            let wish = ExportWish(
                first: words[O.from],
                last: words[O.to],
                forSpreadsheets: words[O.spreadsheet],
                replaces: words[O.replace]
            )
            self = .exporting(file, try words.kind(), format, wish)
        case "seed":
            let seeding = Seeding(
                days: words[O.days] ?? 365,
                perDay: words[O.perDay] ?? 10,
                ingredients: words[O.ingredients] ?? 2_000,
                seed: words[O.seed] ?? 1
            )
            self = .seed(seeding, isConfirmed: words[O.yes])
        case "doctor":
            if words[O.force], !words[O.repair] { throw UsageError("--force needs --repair; such as: food-diary doctor --repair --force") }
            let repair: Repair? = words[O.repair] ? (words[O.force] ? .anyFile : .recognizedDiary) : nil
            self = .doctor(repair, acknowledges: words[O.acknowledge])
        case "snapshot": self = .snapshot
        case "report":
            guard let page = words[O.page] else {
                throw UsageError("report needs a file for the page, such as: food-diary report --html report.html")
            }
            if page == "-", words[O.json] {
                throw UsageError("--json and a page on standard output contradict each other; such as: food-diary report --html -")
            }
            self = .report(page: page, try Period(words, count: 365), replaces: words[O.replace])
        case "eval-search":
            let evaluation = Evaluation(
                samples: words[O.samples] ?? 500,
                ingredients: words[O.ingredients] ?? 10_000,
                seed: words[O.seed] ?? 1,
                isMine: words[O.mine]
            )
            self = .evaluation(evaluation)
        case "completion": self = .completion(words.operand(0, as: .choice("SHELL")) ?? .bash)
        case let other: throw UsageError("There is no command \"\(other)\"; for help: food-diary --help")
        }
    }

    private static func edit(_ words: Arguments) throws -> DiaryCommand {
        typealias O = DiaryOptions
        let circumstances = try Circumstances(words)
        let isEmpty = words[O.amount] == nil && words[O.name] == nil && circumstances.isEmpty
        guard let id = words.operand(0, as: .entry), !isEmpty else {
            throw UsageError("edit needs at least one change, such as: food-diary edit \(words.operands[0]) --amount 80g")
        }
        return .edit(id, words[O.amount], name: words[O.name], circumstances, isConfirmed: words[O.yes])
    }
}

extension DiaryCommand.Circumstances {
    /// The defaults: now, with full confidence.
    static let none = Self(time: nil, confidence: nil, nutrients: nil)

    var isEmpty: Bool { time == nil && confidence == nil && nutrients == nil }

    fileprivate init(_ words: Arguments) throws {
        typealias O = DiaryOptions
        time = words[O.time]
        confidence = words[O.confidence]
        let parts = [words[O.protein], words[O.carbohydrates], words[O.fat]]
        if let kilocalories = words[O.kilocalories] {
            nutrients = Nutrients(kilocalories: kilocalories, protein: parts[0] ?? 0, carbohydrates: parts[1] ?? 0, fat: parts[2] ?? 0)
        } else if parts.contains(where: { $0 != nil }) {
            throw UsageError("Protein, carbohydrates and fat also need the energy, such as: --kcal 250 --protein 8")
        } else {
            nutrients = nil
        }
    }
}

extension Period {
    fileprivate init(_ words: Arguments, count: Int) throws {
        typealias O = DiaryOptions
        if words[O.from] != nil, words[O.days] != nil {
            throw UsageError("--from and --days exclude each other; use one of them, such as: \(words.command) --days 30")
        }
        self.init(first: words[O.from], last: words[O.to] ?? .today, count: words[O.days] ?? count)
    }
}

extension Arguments {
    fileprivate func kind() throws -> ExchangeKind {
        if let kind = self[DiaryOptions.kind] { return kind }
        throw UsageError("Does the file contain entries or ingredients? Use: food-diary \(command) \(operands[0]) --kind entries")
    }

    /// The given format, or the one that the file name ends with. Standard output has no name, so the default is CSV, or JSON with
    /// `--json`.
    fileprivate func format(of file: String) throws -> ExchangeFormat {
        if let format = self[DiaryOptions.format] {
            if file == "-", format == .csv, self[DiaryOptions.json] {
                throw UsageError("--json and --format csv contradict each other; such as: food-diary export - --kind \(try kind()) --json")
            }
            return format
        }
        if file == "-", command == "export" { return self[DiaryOptions.json] ? .json : .csv }
        let ending = file.split(separator: ".").last.map { $0.lowercased() } ?? ""
        if let format = ExchangeFormat(rawValue: ending) { return format }
        throw UsageError("\(file) has no known format; use: food-diary \(command) \(file) --kind \(try kind()) --format csv")
    }
}
