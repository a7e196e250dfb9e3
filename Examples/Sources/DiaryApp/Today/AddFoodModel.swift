package import FoodDiaryKit
import Observation
package import QueryKit

/// Adds an amount of an ingredient to today: search, choose, log.
@MainActor @Observable
package final class AddFoodModel: QueryModel, Identifiable {
    package let queryClient: QueryClient
    package let search: IngredientSearch
    /// The chosen ingredient; `nil` while the user searches.
    package private(set) var ingredient: Ingredient?
    package var unit = AmountUnit.grams {
        didSet { if unit != oldValue { amount = unit.standardAmount } }
    }
    package var amount = AmountUnit.grams.standardAmount
    /// Why the amount was refused.
    package private(set) var problem: String?

    @ObservationIgnored @SharedMutation(LogFood()) private var logging
    @ObservationIgnored private let close: @MainActor () -> Void

    /// - Parameter close: Closes the sheet.
    package init(queryClient: QueryClient, close: @escaping @MainActor () -> Void) {
        self.queryClient = queryClient
        self.close = close
        search = IngredientSearch(queryClient: queryClient)
    }

    package var units: [AmountUnit] { ingredient.map(AmountUnit.all) ?? [] }

    /// The energy in the amount.
    package var kilocalories: Double {
        ingredient?.nutrients(in: unit.grams(in: amount)).kilocalories ?? 0
    }

    package func choose(_ ingredient: Ingredient) {
        self.ingredient = ingredient
        unit = units.first ?? .grams
        amount = unit.standardAmount
        problem = nil
    }

    package func searchAgain() { ingredient = nil }

    package func cancel() { close() }

    /// Logs the amount and closes the sheet without waiting: the entry shows at once. If the diary
    /// can't write it, ``TodayModel`` reports that. An amount that is out of range is refused
    /// here.
    package func log() {
        guard let ingredient else { return }
        let moment = FoodMoment(queryClient.context.clock.date, in: queryClient.context.timeZone)
        do {
            let draft = try FoodEntry.Draft(ingredient, grams: unit.grams(in: amount), at: moment)
                .validated()
            try logging.submit(draft)
            close()
        } catch {
            problem = "\(error)"
        }
    }
}
