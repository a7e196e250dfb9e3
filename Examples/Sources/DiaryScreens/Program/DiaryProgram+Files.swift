import FoodDiaryKit
import FoodDiarySamples
import Foundation
import QueryKit
import Terminal

extension DiaryProgram {
    func report(_ page: String, _ period: Period, replaces: Bool) async throws {
        let days = try period.shown(today: today)
        if page == "-" { return try console.write(text: ReportPage(try await contents(of: days)).html) }
        let file = URL(fileURLWithPath: page)
        let replacing = try await mayReplace(file, withoutAsking: replaces)
        let contents = try await contents(of: days)
        try await FoodDiaryOutput(file).write(replacing: replacing) { write in try write(Data(ReportPage(contents).html.utf8)) }
        if isJSON { return try console.write(text: DiaryJSON.text(["page": file.path])) }
        try console.write(
            "\("Wrote", .good) \(file.path): \(DayName.range(contents.days)), \(FoodNumber.entries(contents.summary.entryCount))"
        )
    }

    /// Asks before a file is replaced, and returns whether it may be; throws if nothing may be written there.
    func mayReplace(_ file: URL, withoutAsking isAllowed: Bool) async throws -> Bool {
        guard try FoodDiaryOutput(file).wouldReplace() else { return false }
        if isAllowed { return true }
        guard let isWanted = try await console.confirm("Replace \(file.path)?") else {
            throw CommandError("\(file.path) already exists and was left unchanged. To replace it add --replace, or choose another name.")
        }
        guard isWanted else { throw CommandError("\(file.path) was left unchanged.") }
        return true
    }

    func seed(_ seeding: DiaryCommand.Seeding, isConfirmed: Bool) async throws {
        let repositories = try repositories
        let isEmpty = try await repositories.entries.recentEntries(limit: 1).isEmpty
        let question: Line = "Add made-up entries of \(FoodNumber.days(seeding.days)) to \(place ?? "the diary")?"
        try await confirm(question, unless: isConfirmed || isEmpty, orSay: "repeat the command with --yes.")
        let sample = FoodDiarySample(
            seed: UInt64(seeding.seed),
            ingredientCount: seeding.ingredients,
            days: today.advanced(by: 1 - seeding.days)...today,
            entriesPerDay: seeding.perDay,
            timeZone: diary.client.context.timeZone,
            // Entries that are logged afterwards must be the newest.
            end: diary.client.context.clock.date
        )
        let start = ContinuousClock.now
        do {
            try await console.withProgress("Seeding") { tell in
                try await sample.fill(repositories.ingredients, repositories.entries) { done, total in
                    tell(Double(done) / Double(max(total, 1)), "\(Number.whole(done)) of \(Number.whole(total))")
                }
            }
        } catch {
            console.remark(
                "The diary is incomplete: it may have the ingredients, but not the entries. Run the same command again to continue."
            )
            throw error
        }
        let duration = ContinuousClock.now - start
        if isJSON {
            try console.write(text: DiaryJSON.text(["ingredients": sample.ingredientCount, "entries": sample.entryCount]))
        } else {
            let counts = "\(Number.whole(sample.ingredientCount)) ingredients and \(FoodNumber.entries(sample.entryCount))"
            try console.write("\("Seeded", .good) \(counts) in \(Number.duration(duration))")
        }
    }
}
