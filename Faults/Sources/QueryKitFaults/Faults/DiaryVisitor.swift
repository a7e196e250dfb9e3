import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKitSQLite

/// Uses a food diary as an app does, in a separate process, because a crash on damage must be detected.
enum DiaryVisitor {
    /// The result of a visit.
    struct Visit {
        /// The numbers of entries, of ingredients, and of entries that were logged by a call.
        var counts = [0, 0, 0]
        /// Whether a recovery was reported.
        var isReported = false
        /// The operations that still fail after the repair.
        var failures: [String] = []
    }

    static let role = Role("visitor of a diary") { _, _ in
        while let path = readLine() {
            do {
                let visit = try await visit(URL(filePath: path))
                Role.say(
                    "\(visit.counts.map(String.init).joined(separator: " ")) \(visit.isReported) \(visit.failures.joined(separator: "; ").replacing("\n", with: " "))"
                )
            } catch {
                Role.say("error \("\(error)".replacing("\n", with: " "))")
            }
        }
    }

    /// Creates a diary of some weeks, completely written to its file.
    static func make(_ url: URL, days: Int) async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.file(url))
        let diary = FoodDiaryRepositories(database)
        for number in 1...60 {
            let name = "food \(number) of \(String(repeating: "kitchen ", count: number % 7))"
            _ = try await diary.ingredients.save(draft(name), as: nil, correctingHistory: false)
        }
        let ids = try await diary.ingredients.ingredients(after: nil, limit: 60).map(\.id)
        let zone = TimeZone.gmt
        for day in 0..<days {
            let drafts = (0..<7).map { number in
                let moment = FoodMoment(
                    Date(timeIntervalSince1970: 1_780_000_000 + Double(day) * 86_400 + Double(number) * 7_200),
                    in: zone
                )
                return FoodEntry.Draft(
                    name: "meal \(number)",
                    food: .ingredient(ids[(day + number) % ids.count]),
                    grams: 100,
                    nutrients: Nutrients(kilocalories: 120, protein: 5),
                    at: moment
                )
            }
            _ = try await diary.entries.add(drafts, key: UUID())
        }
        await database.close()
    }

    private static func draft(_ name: String) -> Ingredient.Draft {
        Ingredient.Draft(name: name, nutrients: Nutrients(kilocalories: 100, protein: 3))
    }

    private static func visit(_ url: URL) async throws -> Visit {
        var configuration = SQLiteDatabase.Configuration()
        configuration.readerCount = 1
        // Recovers any file, as if the user had confirmed that it is a diary.
        configuration.damage = .recoverAnyFile
        let database = try await SQLiteDatabase.openFoodDiary(.file(url), configuration: configuration)
        let diary = FoodDiaryRepositories(database)
        // Reads before the repair may find damage, and then repair it.
        _ = await failures(of: diary)
        _ = try await database.integrityCheck()
        try await diary.totals.rebuild()
        var visit = Visit()
        visit.failures = await failures(of: diary)
        let problems = try await database.integrityCheck()
        if !problems.isEmpty { visit.failures.append("problems: \(problems.prefix(3))") }
        if try await !diary.totals.check().isSound { visit.failures.append("totals or search are wrong") }
        visit.counts = try await database.read { db in
            [
                try db.value(Int.self, "SELECT count(*) FROM entries WHERE name <> 'visit'") ?? 0,
                try db.value(Int.self, "SELECT count(*) FROM ingredients") ?? 0,
                try db.value(
                    Int.self,
                    "SELECT count(*) FROM logged_calls WHERE entry NOT IN (SELECT id FROM entries WHERE name = 'visit')"
                ) ?? 0,
            ]
        }
        visit.isReported = !database.report.unacknowledged.isEmpty
        await database.close()
        return visit
    }

    /// The failures of the reads that commands make.
    private static func failures(of diary: FoodDiaryRepositories) async -> [String] {
        let days = FoodDay.range
        let commands: [(String, () async throws -> Void)] = [
            ("entries", { _ = try await diary.entries.recentEntries(limit: 10) }),
            ("export", { _ = try await diary.entries.entries(in: days, below: nil, limit: 100_000) }),
            ("totals", { _ = try await diary.totals.totals(in: days, limit: 10_000) }),
            ("summary", { _ = try await diary.nutrition.summary(in: days) }),
            ("trends", { _ = try await diary.nutrition.mostConsumedIngredients(in: days, limit: 10) }),
            ("hours", { _ = try await diary.nutrition.entriesByHourOfDay(in: days) }),
            ("search", { _ = try await diary.ingredients.search("kichen", category: nil, limit: 10) }),
            ("popular", { _ = try await diary.ingredients.popularIngredients(limit: 10) }),
            (
                "log",
                {
                    let moment = FoodMoment(Date(timeIntervalSince1970: 1_781_000_000), in: .gmt)
                    let draft = FoodEntry.Draft(name: "visit", grams: 1, nutrients: .zero, at: moment)
                    _ = try await diary.entries.add([draft], key: UUID())
                }
            ),
        ]
        var failures: [String] = []
        for (name, command) in commands {
            do { try await command() } catch { failures.append("\(name): \(error)") }
        }
        return failures
    }
}

/// Damaged copies of one diary, each visited by a process.
struct DamagedDiaries {
    let trial: Trial
    let healthy: [UInt8]
    /// The numbers of rows in the undamaged diary; see ``DiaryVisitor/Visit``.
    let counts: [Int]
    private(set) var lossCount = 0
    private(set) var silentCount = 0
    private(set) var deadEndCount = 0
    private(set) var count = 0
    private var child: Child

    init(_ trial: Trial, days: Int) async throws {
        self.trial = trial
        let url = trial.file("healthy.sqlite")
        try await DiaryVisitor.make(url, days: days)
        healthy = Array(try Data(contentsOf: url))
        counts = [days * 7, 60, days * 7]
        child = try Child(DiaryVisitor.role, of: trial)
    }

    /// Visits a damaged file, and removes it unless something is wrong.
    mutating func visit(_ url: URL, _ harm: String) async throws -> DiaryVisitor.Visit? {
        count += 1
        trial.tally.damagedFiles += 1
        child.say(url.path(percentEncoded: false))
        guard let answer = await child.line(within: .seconds(40)) else {
            if child.isSilent { child.kill() }
            trial.fail("\(harm): the process \(child.isSilent ? "hangs" : "ended with \(await child.end())")")
            trial.tally.crashes += 1
            child = try Child(DiaryVisitor.role, of: trial)
            return nil
        }
        let words = answer.split(separator: " ", maxSplits: 4).map { String($0) }
        var visit = DiaryVisitor.Visit()
        visit.counts = words.prefix(3).compactMap { Int($0) }
        guard words.count >= 4, visit.counts.count == 3 else {
            deadEndCount += 1
            trial.fail("\(harm): \(answer)")
            return nil
        }
        visit.isReported = words[3] == "true"
        if words.count == 5, !words[4].isEmpty {
            deadEndCount += 1
            trial.fail("\(harm): \(words[4])")
        }
        if zip(visit.counts, counts).contains(where: { $0 < $1 }) {
            lossCount += 1
            if !visit.isReported {
                silentCount += 1
                trial.fail("\(harm): \(visit.counts) rows of \(counts) are left, without a report")
            }
        }
        remove(url)
        return visit
    }

    func end() async {
        trial.expect(await child.end(), .exit(0), "the process that visits the diaries")
        trial.tally.silentLosses += silentCount
        trial.tally.deadEnds += deadEndCount
        trial.note("\(count) files, \(lossCount) with losses, \(silentCount) silent losses, \(deadEndCount) dead ends")
    }

    private func remove(_ url: URL) {
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        for name in names where name.hasPrefix(url.lastPathComponent) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }
}
