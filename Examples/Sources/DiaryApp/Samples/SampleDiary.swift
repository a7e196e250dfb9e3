package import FoodDiaryKit
import Foundation
package import QueryKit

/// A diary in memory with the foods and meals of a few days, for previews.
package struct SampleDiary: Sendable {
    package static let foods = [
        food("Rolled oats", .grain, 372, protein: 13.5, carbohydrates: 58.7, fat: 7, ("cup", 90)),
        food("Rye bread", .grain, 259, protein: 8.5, carbohydrates: 48.3, fat: 3.3, ("slice", 30)),
        food("Apple", .fruit, 52, protein: 0.3, carbohydrates: 13.8, fat: 0.2, ("apple", 180)),
        food("Egg", .egg, 155, protein: 12.6, carbohydrates: 1.1, fat: 10.6, ("egg", 55)),
        food("Lentil soup", .dish, 56, protein: 3.8, carbohydrates: 8, fat: 0.9, ("bowl", 350)),
    ]

    package let diary = InMemoryFoodDiary()
    package let client: QueryClient
    package let opened: OpenDiary

    /// Creates an empty diary; see ``fill(days:)``.
    ///
    /// - Parameters:
    ///   - doctor: The doctor of the settings screen.
    ///   - context: The environment of the client, such as its clock.
    ///   - replace: Replaces repositories, for example by some that fail.
    package init(
        doctor: any DiaryDoctor = SampleDoctor(),
        context: QueryContext = QueryContext(),
        replacing replace: (inout FoodDiaryRepositories) -> Void = { _ in }
    ) {
        var context = context
        var repositories = FoodDiaryRepositories(diary)
        replace(&repositories)
        context.foodDiary = repositories
        context.diaryDoctor = doctor
        context.diarySettings = SampleSettings()
        opened = OpenDiary(context, configuration: .isolated)
        client = opened.client
        client.connect(to: diary)
    }

    /// Saves the foods. Logs a portion of the first food on each of the last days, of the second on
    /// all but the earliest of them, and so on.
    package func fill(days: Int = 4) async throws {
        let context = client.context
        for (index, food) in Self.foods.enumerated() {
            let ingredient = try await diary.save(food, as: nil, correctingHistory: false)
            for ago in 0..<max(days - index, 0) {
                let date = context.clock.date.addingTimeInterval(
                    Double(-ago) * 86_400 - Double(index) * 60
                )
                let grams = ingredient.portions.first?.grams ?? 100
                let moment = FoodMoment(date, in: context.timeZone)
                _ = try await diary.add(FoodEntry.Draft(ingredient, grams: grams, at: moment))
            }
        }
    }

    private static func food(
        _ name: String,
        _ category: IngredientCategory,
        _ kilocalories: Double,
        protein: Double,
        carbohydrates: Double,
        fat: Double,
        _ portion: (name: String, grams: Double)
    ) -> Ingredient.Draft {
        Ingredient.Draft(
            name: name,
            category: category,
            nutrients: Nutrients(
                kilocalories: kilocalories,
                protein: protein,
                carbohydrates: carbohydrates,
                fat: fat
            ),
            portions: [Ingredient.Portion(portion.name, grams: portion.grams)]
        )
    }
}

/// A doctor with a report, whose notices can be confirmed.
package actor SampleDoctor: DiaryDoctor {
    private var report: DiaryHealth

    package init(_ report: DiaryHealth = DiaryHealth()) { self.report = report }

    package func health() -> DiaryHealth { report }

    package func acknowledge() { report.notices = [] }

    package func check() -> FoodDiaryCheck { FoodDiaryCheck(days: nil) }

    package func rebuild() {}
}

/// Settings in memory.
package actor SampleSettings: DiarySettings {
    private var goal = EnergyGoal.standard

    package init() {}

    package func energyGoal() -> Int { goal }

    package func setEnergyGoal(_ kilocalories: Int) { goal = kilocalories }
}
