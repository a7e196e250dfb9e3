import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKit
import QueryKitSQLite

/// The contracts of the food diary with a million entries and 100,000 ingredients. A sample is one awaited read.
extension Case {
    static let diaryCases =
        warmAndCold("today", "today's entries", limit: 100) { diary, _ in
            discard(try await diary.entries.entries(on: DiaryFixture.lastDay, limit: 1_000))
        }
        + warmAndCold("total", "the total of today", limit: 50) { diary, _ in
            discard(try await diary.totals.total(on: DiaryFixture.lastDay))
        }
        + warmAndCold("totals30", "the totals of 30 days", limit: 500) { diary, _ in
            discard(try await diary.totals.totals(in: DiaryFixture.month, limit: 31))
        }
        + warmAndCold("history", "the entries of some day", limit: 200) { diary, number in
            let day = DiaryFixture.lastDay.advanced(by: -(number * 37 % 3_000))
            discard(try await diary.entries.entries(on: day, limit: 1_000))
        }
        + warmAndCold("search", "searches for typed text, a quarter of it with an error", limit: 100, aim: 3, search)
        + warmAndCold("context", "the ingredients of a sentence, as JSON for a language model", limit: 50, context)
        + warmAndCold("popular", "the 20 ingredients that are used most", limit: 50) { diary, _ in
            discard(try await diary.ingredients.popularIngredients(limit: 20))
        }
        + warmAndCold("trends90", "averages of 90 days, and the ingredients eaten most", limit: 1_000) { diary, _ in
            discard(try await diary.nutrition.summary(in: DiaryFixture.quarter))
            discard(try await diary.nutrition.mostConsumedIngredients(in: DiaryFixture.quarter, limit: 10))
        }
        + warmAndCold("stats", "number, confidence and hours of a million entries", limit: 2_000) { diary, _ in
            discard(try await diary.nutrition.summary(in: DiaryFixture.days))
            discard(try await diary.nutrition.entriesByHourOfDay(in: DiaryFixture.days))
        }
        + [logFood, live(2), live(4), beside("search", aim: 3, search), beside("context", aim: 5, context), question]

    private static let sentences = [
        "two eggs and a slice of rye bread with butter", "a bowl of porridge with blueberries, honey and almonds",
        "grilled chicken with rice and brocoli", "a glass of orange juice, yogurt and a banana", "spagetti with tomato sauce and parmesan",
    ]

    private static func typed(_ number: Int) async throws -> String {
        let typed = try await DiaryFixture.shared().typed
        return typed[number % typed.count]
    }

    @Sendable
    private static func search(_ diary: FoodDiaryRepositories, _ number: Int) async throws {
        discard(try await diary.ingredients.search(try await typed(number), category: nil, limit: 20))
    }

    @Sendable
    private static func context(_ diary: FoodDiaryRepositories, _ number: Int) async throws {
        discard(try await IngredientContext.relevant(for: sentences[number % sentences.count], in: diary.ingredients))
    }

    /// The same read repeatedly, and as the first read after opening the database.
    private static func warmAndCold(
        _ name: String,
        _ what: String,
        limit: Int,
        aim: Int? = nil,
        _ ask: @escaping @Sendable (FoodDiaryRepositories, Int) async throws -> Void
    ) -> [Case] {
        let warm = Case(
            name: "diary.\(name).warm",
            summary:
                "\(what), of a million entries and 100,000 ingredients; the contract allows \(limit) ms, the aim is \(aim ?? limit / 10)",
            kind: .delay { count in
                let diary = try await DiaryFixture.shared().repositories
                for number in 0..<5 { try await ask(diary, number) }
                return (try await delays(count, diary, ask), nil)
            }
        )
        let cold = Case(
            name: "diary.\(name).cold",
            summary: "the same as the first read of a database that was just opened",
            sampleLimit: 30,
            kind: .delay { count in
                let fixture = try await DiaryFixture.shared()
                var delays: [Double] = []
                for number in 0..<count {
                    let (database, diary) = try await fixture.opened()
                    let start = ContinuousClock().now
                    try await ask(diary, number)
                    delays.append((ContinuousClock().now - start).nanoseconds)
                    await database.close()
                }
                return (delays, nil)
            }
        )
        return [warm, cold]
    }

    private static func delays(
        _ count: Int,
        _ diary: FoodDiaryRepositories,
        _ ask: (FoodDiaryRepositories, Int) async throws -> Void
    ) async throws -> [Double] {
        var delays: [Double] = []
        for number in 0..<count {
            let start = ContinuousClock().now
            try await ask(diary, number)
            delays.append((ContinuousClock().now - start).nanoseconds)
        }
        return delays
    }

    /// The same read while other programs keep two cores busy.
    private static func beside(
        _ name: String,
        aim: Int,
        _ ask: @escaping @Sendable (FoodDiaryRepositories, Int) async throws -> Void
    ) -> Case {
        Case(
            name: "diary.\(name).busy2",
            summary:
                "diary.\(name).warm while two threads compute without a pause, p95; floor: a computation of the same length; aim \(aim) ms",
            comparesTails: true,
            kind: .delay { count in
                let diary = try await DiaryFixture.shared().repositories
                let idle = try await delays(count, diary, ask).sorted()
                let steps = Computation.steps(for: idle[idle.count / 2])
                let others = BusyThreads(2)
                defer { others.stop() }
                let computations = try await delays(count, diary) { _, _ in Computation.perform(steps) }
                return (try await delays(count, diary, ask), computations)
            }
        )
    }

    /// A single search, so that its instructions can be counted: the one whose duration is the median of all.
    private static let question = Case(
        name: "diary.question",
        summary: "the search for typed text that takes the median time of 200, among 100,000 ingredients without entries",
        kind: .time {
            let fixture = try await DiaryFixture(entriesPerDay: 0, reading: .seconds(1))
            let ingredients = fixture.repositories.ingredients
            var times: [(duration: Duration, text: String)] = []
            for text in fixture.typed + fixture.typed {
                let start = ContinuousClock().now
                discard(try await ingredients.search(text, category: nil, limit: 20))
                times.append((ContinuousClock().now - start, text))
            }
            // The first searches also fill caches.
            let median = times.dropFirst(fixture.typed.count).sorted { $0.duration < $1.duration }[fixture.typed.count / 2]
            return (
                Workload { count in
                    for _ in 0..<count { discard(try await ingredients.search(median.text, category: nil, limit: 20)) }
                    discard(fixture)
                },
                floor: nil
            )
        }
    )

    /// The reads of a screen beside long reads: neither may have to wait for the other.
    private static func live(_ count: Int) -> Case {
        Case(
            name: "diary.live.beside\(count)",
            summary: "today's entries while \(count) tasks keep reading the ingredients eaten most in five years; floor: without them",
            sampleLimit: 300,
            kind: .delay { samples in
                let fixture = try await DiaryFixture.shared()
                let (diary, repositories) = try await fixture.opened(readerCount: 2)
                func delays() async throws -> [Double] {
                    var delays: [Double] = []
                    for _ in 0..<samples {
                        let start = ContinuousClock().now
                        discard(try await repositories.entries.entries(on: DiaryFixture.lastDay, limit: 1_000))
                        delays.append((ContinuousClock().now - start).nanoseconds)
                        // A screen doesn't read again immediately.
                        try await Task.sleep(for: .milliseconds(2))
                    }
                    return delays
                }
                let idle = try await delays()
                let years = DiaryFixture.lastDay.advanced(by: -1_826)...DiaryFixture.lastDay
                let beside = try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<count {
                        group.addTask {
                            while !Task.isCancelled {
                                discard(try? await repositories.nutrition.mostConsumedIngredients(in: years, limit: 10))
                            }
                        }
                    }
                    let measured = try await delays()
                    group.cancelAll()
                    return measured
                }
                await diary.close()
                return (beside, idle)
            }
        )
    }

    private static let logFood = Case(
        name: "diary.log",
        summary: "logging a food: entry, totals, usage and index in one commit; floor: a commit of one row",
        sampleLimit: 500,
        kind: .delay { count in
            let fixture = try await DiaryFixture.shared()
            let plain = try await DatabaseFixture(rows: 1)
            guard let food = try await fixture.repositories.ingredients.popularIngredients(limit: 1).first else { return ([], nil) }
            var delays: [Double] = []
            var floor: [Double] = []
            for number in 0..<count {
                let moment = FoodMoment(DiaryFixture.lastDay.start(in: .gmt).addingTimeInterval(Double(number)), in: .gmt)
                var start = ContinuousClock().now
                let entry = try await fixture.repositories.entries.add(FoodEntry.Draft(food, grams: 100, at: moment))
                delays.append((ContinuousClock().now - start).nanoseconds)
                // Deleted again, so that later cases find the diary unchanged.
                _ = try await fixture.repositories.entries.delete([entry.id])
                start = ContinuousClock().now
                try await plain.database.write { db in try db.execute("UPDATE food SET grams = \(number) WHERE id = 0") }
                floor.append((ContinuousClock().now - start).nanoseconds)
            }
            return (delays, floor)
        }
    )
}
