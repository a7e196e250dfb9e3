import Foundation
import QueryKit
import TestSupport

@testable import QueryKitSQLite

/// A diary with a clock, a place and an app that a test moves: noon of 20 November 2026 in Berlin.
struct FoodBench: Sendable {
    /// What the diary lies in.
    enum Kind: CaseIterable {
        case sqlite, memory
    }

    static let friday = FoodDay("2026-11-20")!
    static let berlin = TimeZone(identifier: "Europe/Berlin")!

    let clock = ManualClock(date: FoodBench.friday.start(in: FoodBench.berlin).addingTimeInterval(12 * 3600))
    let zone = ManualTimeZoneObserver(FoodBench.berlin)
    let activity = ManualActivityObserver()
    let diary: FoodDiary
    let repositories: FoodDiaryRepositories
    let rice: Ingredient
    let bread: Ingredient

    init(_ kind: Kind = .sqlite, _ location: SQLiteDatabase.Location = .inMemory) async throws {
        var context = QueryContext()
        context.clock = clock
        context.timeZoneObserver = zone
        context.activityObserver = activity
        switch kind {
        case .sqlite: diary = try await FoodDiary.open(location, context: context)
        case .memory:
            let memory = InMemoryFoodDiary()
            diary = FoodDiary(FoodDiaryRepositories(memory), context: context)
            diary.client.connect(to: memory)
        }
        repositories = diary.client.context.foodDiary!
        rice = try await repositories.ingredients.save(
            Ingredient.Draft(name: "Rice", category: .grain, nutrients: Nutrients(kilocalories: 130, protein: 2.7, carbohydrates: 28)),
            as: nil,
            correctingHistory: false
        )
        bread = try await repositories.ingredients.save(
            Ingredient.Draft(name: "Rye bread", category: .grain, nutrients: Nutrients(kilocalories: 259, protein: 8.5, carbohydrates: 48)),
            as: nil,
            correctingHistory: false
        )
    }

    var client: QueryClient { diary.client }

    /// Some grams of rice, so many days and hours from now.
    func portion(_ grams: Double, days: Int = 0, hours: Double = 0) -> FoodEntry.Draft {
        let date = clock.date.addingTimeInterval(Double(days) * 86_400 + hours * 3600)
        return FoodEntry.Draft(rice, grams: grams, at: FoodMoment(date, in: zone.timeZone))
    }

    /// Writes past the client, as a use case or another process does.
    @discardableResult
    func write(_ grams: Double, days: Int = 0, hours: Double = 0) async throws -> FoodEntry {
        try await repositories.entries.add(portion(grams, days: days, hours: hours))
    }

    /// Observes a request, and answers with its store when that has a result.
    func watch<Request: QueryRequest>(_ request: Request) async -> Watched<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        let store = client.store(for: request)
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        return Watched(store: store, subscription: subscription)
    }
}

/// A store that somebody looks at.
struct Watched<State: QueryStateProtocol>: Sendable {
    let store: QueryStore<State>
    let subscription: QuerySubscription
}
