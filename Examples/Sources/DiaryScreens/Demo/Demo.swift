import FoodDiaryKit
import FoodDiarySQLite
import FoodDiarySamples
package import Foundation
import QueryKit
import QueryKitSQLite
package import Terminal

/// Demonstrates the diary from beginning to end, with a temporary diary.
package struct Demo: Sendable {
    let console: Console

    /// The program to start as another process.
    let executable: URL

    package init(console: Console, executable: URL) {
        self.console = console
        self.executable = executable
    }

    /// Runs all parts. The temporary folder is always removed.
    package func run() async throws {
        let start = ContinuousClock.now
        let folder = FileManager.default.temporaryDirectory.appending(path: "food-diary-demo-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let played: Result<Void, any Error>
        do {
            try await play(in: folder)
            played = .success(())
        } catch {
            played = .failure(error)
        }
        try FileManager.default.removeItem(at: folder)
        try played.get()
        try title("That was all", "\(Number.duration(ContinuousClock.now - start)), and nothing is left behind.")
    }

    /// Runs all parts and closes the diary afterwards, even after an interruption, because an open diary may still write to its folder.
    private func play(in folder: URL) async throws {
        let diary = try await FoodDiary.open(.file(folder.appending(path: "diary.db")))
        do {
            try await play(diary, in: folder)
        } catch {
            await diary.database?.close()
            throw error
        }
        await diary.database?.close()
    }

    private func play(_ diary: FoodDiary, in folder: URL) async throws {
        let file = folder.appending(path: "diary.db")
        let program = DiaryProgram(diary, console: console, location: file)
        let recorder = RunRecorder(diary.client)

        try title("A diary", "of made-up food, in a temporary file")
        try await fill(diary)

        try title("Today", "food-diary today")
        let screen = DemoScreen(diary, console: console)
        await screen.open()
        try await screen.show()

        try title("You log something", "the open screen updates itself")
        try await screen.changes { try await logHere(diary) }

        try title("Another process logs something", "a second food-diary, started just now")
        try await screen.changes { try await logElsewhere(file) }
        await screen.close()

        try title("Typing errors are corrected", "food-diary search \"\(Self.typed)\" --limit 5")
        try await program.search(Self.typed, nil, limit: 5)
        try title("The month", "food-diary month")
        try await program.month(nil, .monday)
        try title("Three months", "food-diary trends --days 90")
        try await program.trends(Period(first: nil, last: .today, count: 90))
        try title("When you eat", "food-diary stats --days 240")
        try await program.stats(Period(first: nil, last: .today, count: 240))

        try title("Repeated reads are answered from memory", "today, month and search, ten times")
        try await askAgain(diary)
        try title("Why each query ran", "food-diary snapshot")
        let runs = await recorder.stop()
        let snapshot = SnapshotScreen(diary.client.snapshot(), runs: runs.filter { !$0.path.description.hasPrefix("diary/log") })
        try console.write(snapshot.runsTable.lines(width: min(console.width, 110)))
        try console.write()
        try console.write(snapshot.metrics.lines(width: min(console.width, 110)))
    }

    private static let typed = "rye bred"

    /// Adds made-up food up to yesterday, and this morning's meals.
    private func fill(_ diary: FoodDiary) async throws {
        let (date, timeZone) = (diary.client.context.clock.date, diary.client.context.timeZone)
        let today = FoodDay(date, in: timeZone)
        let days = today.advanced(by: -240)...today.advanced(by: -1)
        let sample = FoodDiarySample(seed: 4, ingredientCount: 2_000, days: days, entriesPerDay: 10, timeZone: timeZone)
        let repositories = try DiaryProgram(diary, console: console).repositories
        let start = ContinuousClock.now
        try await console.withProgress("Seeding") { tell in
            try await sample.fill(repositories.ingredients, repositories.entries) { done, total in tell(Double(done) / Double(total), "") }
        }
        let counts = "\(Number.whole(sample.ingredientCount)) ingredients and \(FoodNumber.entries(sample.entryCount))"
        try console.write(fitted: "\("Seeded", .good) \(counts) in \(Number.duration(ContinuousClock.now - start)).")
        var drafts: [FoodEntry.Draft] = []
        for (index, meal) in [("oats", 60.0), ("milk", 200), ("coffee", 150), ("rye bread", 90)].enumerated() {
            guard case .one(let ingredient) = try await FindFood(diary).find(meal.0) else { continue }
            // If it is just after midnight, breakfast is moved to today.
            let eaten = max(date.addingTimeInterval(Double(index - 5) * 1_500), today.start(in: timeZone))
            drafts.append(FoodEntry.Draft(ingredient, grams: meal.1, at: FoodMoment(eaten, in: timeZone)))
        }
        _ = try await repositories.entries.add(drafts, key: nil)
    }

    private func title(_ title: String, _ note: String) throws {
        try console.write()
        try console.write(fitted: "\("■", .series(0)) \(title, .title)  \(note, .faint)")
        try console.write()
    }

    private func logHere(_ diary: FoodDiary) async throws -> String {
        let entry = try await LogMeal(diary).log(FoodWords(["apple", "150g"]), DiaryCommand.Circumstances.none)
        return "logged \(entry.name), \(FoodNumber.grams(entry.grams)), in this process"
    }

    /// Starts this program again, as a process that shares only the file with this screen.
    private func logElsewhere(_ file: URL) async throws -> String {
        let words = ["log", "banana", "120g", "--db", file.path]
        let outcome = try await OtherProcess.run(executable, words)
        // Ctrl-C ends both processes.
        try Task.checkCancellation()
        guard outcome.status == 0 else {
            throw FoodDiaryError(.notFound, "The other process ended with \(outcome.status): \(outcome.text)")
        }
        return "process \(outcome.identifier) ran: food-diary log banana 120g"
    }

    private func askAgain(_ diary: FoodDiary) async throws {
        let before = diary.client.metrics.total
        let start = ContinuousClock.now
        for _ in 1...10 {
            _ = try await diary.todayEntries
            _ = try await diary.fetchTotals(for: FoodMonth(FoodDay(diary.client.context.clock.date, in: diary.client.context.timeZone)))
            _ = try await diary.searchIngredients(query: Self.typed, limit: 5)
        }
        let duration = ContinuousClock.now - start
        let after = diary.client.metrics.total
        let counts = "\(after.hits - before.hits) from memory, \(after.runs - before.runs) read again"
        try console.write("30 questions: \(counts).")
        try console.write("Each took \("\(Number.short(duration / .microseconds(30))) µs", .good).")
    }
}
