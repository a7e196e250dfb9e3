import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

struct FoodDiaryConcurrencyTests {
    @Test func `D6 concurrent processes that log to one diary lose no entry and count none twice`() async throws {
        let folder = try TemporaryFolder()
        let bench = try await FoodBench(.sqlite, .file(folder.file()))
        let today = await bench.watch(FoodEntry.today)
        let total = await bench.watch(DailyTotal.today)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    // A separate database of the file sees what another process would.
                    let other = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
                    let entries = SQLiteFoodEntryRepository(other)
                    for _ in 0..<20 { _ = try await entries.add(bench.portion(10)) }
                    await other.close()
                }
            }
            for _ in 0..<20 { _ = try await bench.client.mutate(LogFood(), with: bench.portion(10)) }
            try await group.waitForAll()
        }
        for await today in today.store.states where today.value?.count == 80 && !today.isFetching { break }
        for await total in total.store.states where total.value?.entryCount == 80 && !total.isFetching { break }
        #expect(today.store.value?.contains { $0.isProvisional } == false)
        #expect(try await bench.repositories.totals.recalculate(in: FoodDay.range) == [])
        #expect(try await bench.repositories.ingredients.ingredients([bench.rice.id]).first?.usageCount == 80)
        withExtendedLifetime([today.subscription, total.subscription]) {}
        await bench.diary.database?.close()
    }

    @Test func `a long read of statistics is interrupted as soon as its caller is cancelled`() async throws {
        let bench = try await FoodBench()
        let database = try #require(bench.diary.database)
        let started = Gate()
        started.open()
        let request = EndlessStatistics(database: database, started: started)
        let task = Task { try await bench.client.fetch(request) }
        await started.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // Waits for the reads under way.
        await database.close()
    }
}

extension FoodDiaryConcurrencyTests {
    @Test func `a background read is cancelled with its caller`() async throws {
        let statistics = HeldStatistics()
        var repositories = FoodDiaryRepositories(InMemoryFoodDiary())
        repositories.nutrition = statistics
        let diary = FoodDiary(repositories, configuration: FoodDiary.configuration(.isolated))
        let task = Task { try await diary.totalEntries(in: FoodBench.friday...FoodBench.friday) }
        await statistics.gate.arrived()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await statistics.ended.arrived()
    }
}

/// Returns when its gate is open, or never.
private struct HeldStatistics: NutritionRepository {
    let gate = Gate()
    /// Opened when a cancelled read arrives.
    let ended = Gate()

    func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        do { try await gate.pass() } catch {
            ended.open()
            try? await ended.pass()
            throw error
        }
        return NutritionalSummary(days: days, loggedDays: 0, entryCount: 0, nutrients: .zero, averageConfidence: nil)
    }

    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] { [] }

    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] { [] }
}

/// Reads forever, unless it is interrupted.
private struct EndlessStatistics: QueryRequest {
    typealias Value = Int

    let database: SQLiteDatabase
    let started: Gate

    static func == (left: Self, right: Self) -> Bool { left.started === right.started }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(started)) }

    func setup(context: inout QueryContext) { context.networkMode = .always }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await started.pass()
        return try await database.read { db in
            try db.value(Int.self, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n") ?? 0
        }
    }
}
