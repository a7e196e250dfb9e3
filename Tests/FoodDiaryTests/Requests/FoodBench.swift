import Foundation
import QueryKit
import QueryKitTesting
import TestSupport

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// A diary with a clock, a place and an app that a test moves: noon of 20 November 2026 in Berlin.
struct FoodBench: Sendable {
    /// Where the diary is stored.
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
    /// The entries behind the gate.
    let entries: any FoodEntryRepository
    let rice: Ingredient
    let bread: Ingredient

    /// - Parameters:
    ///   - gate: A gate that the client's writes pass first.
    ///   - failures: How many reads of a day fail.
    ///   - crowd: How many copies of the newest entry of some days are returned.
    init(
        _ kind: Kind = .sqlite,
        _ location: SQLiteDatabase.Location = .inMemory,
        gate: Gate? = nil,
        failures: Int = 0,
        crowd: Int = 0,
        journal: (any MutationJournal)? = nil
    ) async throws {
        var context = QueryContext()
        context.clock = clock
        context.timeZoneObserver = zone
        context.activityObserver = activity
        context.mutationJournal = journal
        let isGated = gate != nil || failures > 0 || crowd > 0
        let gated = { (repositories: FoodDiaryRepositories) in
            var repositories = repositories
            repositories.entries = GatedEntries(base: repositories.entries, gate: gate, failures: Lock(failures), crowd: crowd)
            return repositories
        }
        switch kind {
        case .sqlite where !isGated:
            diary = try await FoodDiary.open(location, context: context, configuration: FoodDiary.configuration(.isolated))
            entries = diary.client.context.foodDiary!.entries
        case .sqlite:
            let database = try await SQLiteDatabase.openFoodDiary(location)
            let repositories = FoodDiaryRepositories(database)
            entries = repositories.entries
            diary = FoodDiary(gated(repositories), context: context, configuration: FoodDiary.configuration(.isolated))
            diary.client.connect(to: database)
        case .memory:
            let memory = InMemoryFoodDiary()
            entries = memory
            diary = FoodDiary(gated(FoodDiaryRepositories(memory)), context: context, configuration: FoodDiary.configuration(.isolated))
            diary.client.connect(to: memory)
        }
        repositories = diary.client.context.foodDiary!
        let known = try await repositories.ingredients.ingredients(after: nil, limit: 2)
        guard known.isEmpty else {
            (rice, bread) = (known[0], known[1])
            return
        }
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

    /// Some grams of rice, the given number of days and hours from now.
    func portion(_ grams: Double, days: Int = 0, hours: Double = 0) -> FoodEntry.Draft {
        let date = clock.date.addingTimeInterval(Double(days) * 86_400 + hours * 3600)
        return FoodEntry.Draft(rice, grams: grams, at: FoodMoment(date, in: zone.timeZone))
    }

    /// Writes past the client, as a use case or another process does.
    @discardableResult
    func write(_ grams: Double, days: Int = 0, hours: Double = 0) async throws -> FoodEntry {
        try await entries.add(portion(grams, days: days, hours: hours))
    }

    /// Observes a request, and returns its store when that has a result.
    func watch<Request: QueryRequest>(_ request: Request) async -> Watched<Request.State>
    where Request.State.StateValue: ExpressibleByNilLiteral {
        let store = client.store(for: request)
        let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
        return Watched(store: store, subscription: subscription)
    }
}

/// An observed store.
struct Watched<State: QueryStateProtocol>: Sendable {
    let store: QueryStore<State>
    let subscription: QuerySubscription
}
