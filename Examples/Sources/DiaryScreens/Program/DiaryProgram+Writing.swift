import FoodDiaryKit
import QueryKit
import Terminal

extension DiaryProgram {
    func log(_ words: FoodWords, _ circumstances: DiaryCommand.Circumstances) async throws {
        let entry = try await LogMeal(diary).log(words, circumstances)
        if isJSON { return try console.write(text: DiaryJSON.text(DiaryJSON.Entry(entry))) }
        try console.write("\("Logged", .good) \(summary(entry))")
        // If the ingredient has another name than the typed one, mentions it, in case another ingredient was meant.
        if entry.name.lowercased() != words.name.lowercased() {
            console.remark("\(Line("\"\(words.name)\" is logged as \(entry.name).", .faint))")
        }
    }

    func edit(
        _ id: FoodEntry.ID,
        _ amount: FoodAmount?,
        name: String?,
        _ circumstances: DiaryCommand.Circumstances,
        isConfirmed: Bool
    ) async throws {
        guard let entry = try await repositories.entries.entry(id) else { throw Self.missing(id) }
        let question: Line = "Change \(summary(entry))?"
        try await confirm(question, unless: isConfirmed, orSay: "repeat the command with --yes.")
        let changed = try await LogMeal(diary).edit(entry, amount: amount, name: name, circumstances)
        if isJSON {
            try console.write(text: DiaryJSON.text(DiaryJSON.Entry(changed)))
        } else {
            try console.write("\("Changed", .good) \(summary(changed))")
        }
    }

    func delete(_ ids: [FoodEntry.ID], isConfirmed: Bool) async throws {
        var entries: [FoodEntry] = []
        for id in ids {
            guard let entry = try await repositories.entries.entry(id) else { throw Self.missing(id) }
            if !entries.contains(where: { $0.id == id }) { entries.append(entry) }
        }
        if !isConfirmed, entries.count > 1 { for entry in entries { console.remark("  \(summary(entry))") } }
        let question: Line =
            entries.count == 1 ? "Delete \(summary(entries[0]))?" : "Delete these \(FoodNumber.entries(entries.count))?"
        let words = ids.map { "\($0.rawValue)" }.joined(separator: " ")
        try await confirm(question, unless: isConfirmed, orSay: "use: food-diary delete \(words) --yes")
        for entry in entries { _ = try await diary.client.mutate(DeleteEntry(), with: entry) }
        if isJSON {
            try console.write(text: DiaryJSON.text(["deleted": entries.map(\.id.rawValue)]))
        } else {
            for entry in entries { try console.write("\("Deleted", .good) \(summary(entry))") }
        }
    }

    /// `#12 Rye bread, 60 g, 138 kcal, 21 Nov 08:15`, with the year if it isn't the current one, so that typing errors are visible.
    private func summary(_ entry: FoodEntry) -> Line {
        let amounts = "\(FoodNumber.meal(entry.grams)), \(FoodNumber.kilocalories(entry.nutrients.kilocalories))"
        let day = DayName.short(entry.day) + (entry.day.year == today.year ? "" : " \(entry.day.year)")
        return "\("#\(entry.id.rawValue)", .faint) \(entry.name, .name), \(amounts), \(day) \(DayName.time(entry.moment))"
    }

    private static func missing(_ id: FoodEntry.ID) -> FoodDiaryError {
        FoodDiaryError(.notFound, "There is no entry \(id.rawValue); the numbers are in the first column of: food-diary today")
    }
}
