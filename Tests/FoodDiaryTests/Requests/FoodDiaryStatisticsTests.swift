import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct FoodDiaryStatisticsTests {
    @Test func `usage statistics are read in the background, and trends are not`() async throws {
        let statistics = NotedStatistics()
        var repositories = FoodDiaryRepositories(InMemoryFoodDiary())
        repositories.nutrition = statistics
        let diary = FoodDiary(repositories, configuration: FoodDiary.configuration(.isolated))
        let days = FoodBench.friday...FoodBench.friday
        _ = try await diary.totalEntries(in: days)
        _ = try await diary.averageConfidence(in: days)
        _ = try await diary.entriesByHourOfDay(in: days)
        #expect(statistics.priorities.take() == [.background, .background, .background])
        _ = try await diary.averageDailyCalories(in: days)
        #expect(statistics.priorities.take().allSatisfy { $0 > .background })
    }
}

/// Records the priority of each call.
private struct NotedStatistics: NutritionRepository {
    let priorities = Recorder<TaskPriority>()

    private func note() { priorities.note(Task.basePriority ?? .high) }

    func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        note()
        return NutritionalSummary(days: days, loggedDays: 0, entryCount: 0, nutrients: .zero, averageConfidence: nil)
    }

    func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] { [] }

    func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] {
        note()
        return Array(repeating: 0, count: 24)
    }
}
