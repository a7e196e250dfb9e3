import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit

/// How often requests run in a day of use: a script, with one screen for each question of the diary.
struct FoodDiarySessionTests {
    /// A diary with twenty ingredients and entries on each of thirty days.
    private func bench() async throws -> (FoodBench, [Ingredient]) {
        let bench = try await FoodBench(.sqlite)
        var foods = [bench.rice, bench.bread]
        for number in 1...18 {
            let draft = Ingredient.Draft(name: "Dish \(number)", category: .grain, nutrients: Nutrients(kilocalories: Double(100 + number)))
            foods.append(try await bench.repositories.ingredients.save(draft, as: nil, correctingHistory: false))
        }
        for day in 1...30 { try await bench.write(100, days: -day) }
        return (bench, foods)
    }

    @Test func `a day of use reruns few requests`() async throws {
        let (bench, foods) = try await bench()
        let client = bench.client
        var context = QueryContext()
        context.clock = bench.clock
        context.timeZoneObserver = bench.zone
        let fresh = FoodDiary(bench.repositories, context: context, configuration: FoodDiary.configuration(.isolated)).client
        var comparisons: [() async throws -> Void] = []
        func observe<Request: QueryRequest>(_ request: Request) -> QuerySubscription
        where Request.State.StateValue: ExpressibleByNilLiteral {
            let store = client.store(for: request)
            comparisons.append {
                let value = try await fresh.fetch(request)
                #expect(store.state.current.map { "\($0)" } == "\(value)", "\(store.path)")
            }
            return store.subscribe(with: QueryEventHandler { _, _ in })
        }
        let week = (1...7).map { FoodBench.friday.advanced(by: -$0) }
        var screens = [
            observe(FoodEntry.today), observe(DailyTotal.today), observe(Ingredient.popular()), observe(FoodEntry.recent(limit: 20)),
        ]
        screens += week.flatMap { [observe(FoodEntry.entries(on: $0)), observe(DailyTotal.total(on: $0))] }
        screens += foods.map { observe(Ingredient.ingredients([$0.id])) }
        screens += [observe(NutritionalSummary.summary(in: week[6]...week[0]))]
        await client.settled()
        let before = runs(of: client)

        // Five meals, the month, three searches, and two corrections.
        var entries: [FoodEntry] = []
        for (hour, food) in [(-4, foods[0]), (-3, foods[1]), (-2, foods[2]), (-1, foods[0]), (0, foods[3])] {
            let moment = FoodMoment(bench.clock.date.addingTimeInterval(Double(hour) * 3600), in: FoodBench.berlin)
            entries.append(try await client.mutate(LogFood(), with: FoodEntry.Draft(food, grams: 100, at: moment)))
            await client.settled()
        }
        screens.append(observe(DailyTotal.totals(in: FoodBench.friday.advanced(by: -19)...FoodBench.friday)))
        for text in ["ri", "rye", "dish"] { screens.append(observe(Ingredient.search(text))) }
        await client.settled()
        for entry in [entries[0], entries[4]] {
            _ = try await client.mutate(EditEntry(), with: EditEntry.Arguments(entry, to: bench.portion(150, hours: -1)))
            await client.settled()
        }
        let counts = runs(of: client).merging(before) { $0 - $1 }.filter { $0.value > 0 }
        for (prefix, count) in counts.sorted(by: { $0.key < $1.key }) { print("\(prefix): \(count)") }
        // Each meal changes one food's usage, and so does each food that a correction removes or adds. Once each change reran all twenty.
        #expect(counts["diary/ingredients/ids"] == 7)
        #expect(counts.values.reduce(0, +) <= 50)
        for compare in comparisons { try await compare() }
        for screen in screens { screen.cancel() }
    }

    private func runs(of client: QueryClient) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: client.metrics.byPrefix.map { ("\($0.key)", Int($0.value.runs)) })
    }
}
