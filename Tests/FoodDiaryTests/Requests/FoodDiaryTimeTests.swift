import Foundation
import QueryKit
import QueryKitTesting
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct FoodDiaryTimeTests {
    @Test(arguments: FoodBench.Kind.allCases)
    func `R20 at midnight today becomes another day for observers and for later fetches`(_ kind: FoodBench.Kind) async throws {
        let bench = try await FoodBench(kind)
        try await bench.write(100)
        let today = await bench.watch(FoodEntry.today)
        #expect(try await bench.diary.currentTotal.entryCount == 1)
        // A minute before midnight everything is unchanged and fresh.
        bench.clock.advance(by: .seconds(12 * 3600 - 60))
        try await bench.diary.refreshTodayEntries()
        _ = try await bench.diary.refreshCurrentTotal()
        #expect(today.store.value?.count == 1)
        bench.clock.advance(by: .seconds(61))
        await bench.client.settled()
        #expect(today.store.value?.isEmpty == true)
        let total = try await bench.diary.currentTotal
        #expect(total.day == FoodBench.friday.advanced(by: 1) && total.entryCount == 0)
        withExtendedLifetime(today.subscription) {}
    }

    @Test func `R20 travelling over the date line changes today, and the past stays where it was`() async throws {
        let bench = try await FoodBench()
        let entry = try await bench.write(100)
        let today = await bench.watch(FoodEntry.today)
        // Noon in Berlin is one in the morning of the next day on Kiritimati.
        bench.zone.set(TimeZone(identifier: "Pacific/Kiritimati")!)
        await bench.client.settled()
        #expect(today.store.value?.isEmpty == true)
        #expect(try await bench.diary.currentTotal.day == FoodBench.friday.advanced(by: 1))
        #expect(try await bench.diary.fetchEntries(for: FoodBench.friday) == [entry])
        // An entry logged there belongs to that day, with the hour of the clock there.
        let there = try await bench.write(50)
        #expect(there.day == FoodBench.friday.advanced(by: 1) && there.moment.hour == 1)
        await bench.client.settled()
        #expect(today.store.value?.map(\.grams) == [50])
        withExtendedLifetime(today.subscription) {}
    }

    @Test(arguments: [(month: 3, day: 29, hours: 23.0), (10, 25, 25)])
    func `a day of 23 or 25 hours is one day`(_ change: (month: Int, day: Int, hours: Double)) async throws {
        let bench = try await FoodBench()
        let day = FoodDay(year: 2026, month: change.month, day: change.day)!
        let start = day.start(in: FoodBench.berlin)
        bench.clock.setDate(start)
        let today = await bench.watch(FoodEntry.today)
        for offset in [1, 3600, change.hours * 3600 - 1] {
            let draft = FoodEntry.Draft(bench.rice, grams: 10, at: FoodMoment(start.addingTimeInterval(offset), in: FoodBench.berlin))
            _ = try await bench.diary.client.mutate(LogFood(), with: draft)
        }
        await bench.client.settled()
        #expect(today.store.value?.count == 3)
        bench.clock.advance(by: .seconds(Int(change.hours * 3600) - 1))
        await bench.client.settled()
        #expect(today.store.value?.count == 3)
        bench.clock.advance(by: .seconds(2))
        await bench.client.settled()
        #expect(today.store.value?.isEmpty == true)
        withExtendedLifetime(today.subscription) {}
    }

    @Test func `when the app becomes active no call of a mutation is lost, not even a queued one`() async throws {
        let gate = Gate()
        let bench = try await FoodBench(gate: gate)
        let entry = try await bench.write(10)
        let (log, delete) = (bench.client.store(for: LogFood()), bench.client.store(for: DeleteEntry()))
        try log.submit(bench.portion(100))
        try delete.submit(entry)
        await gate.arrived()
        bench.activity.set(isActive: false)
        bench.activity.set(isActive: true)
        gate.open()
        await bench.client.settled()
        bench.activity.set(isActive: false)
        bench.activity.set(isActive: true)
        #expect(log.state.history.count == 1 && delete.state.history.count == 1)
        #expect(bench.client.store(for: DeleteEntry()).value == true)
        #expect(try await bench.diary.todayEntries.map(\.grams) == [100])
    }

    @Test func `when the app becomes active expired stores are released and observed ones refreshed`() async throws {
        let bench = try await FoodBench()
        let today = await bench.watch(FoodEntry.today)
        _ = try await bench.diary.fetchEntries(for: FoodBench.friday)
        _ = try await bench.diary.currentTotal
        let subscription = bench.client.store(for: DailyTotal.total(on: FoodBench.friday)).subscribe(with: QueryEventHandler { _, _ in })
        await bench.client.settled()
        bench.activity.set(isActive: false)
        bench.clock.advance(by: .seconds(299))
        // At this moment all values are fresh.
        bench.activity.set(isActive: true)
        #expect(bench.client.stores(matching: "diary/totals/today").count == 1)
        bench.activity.set(isActive: false)
        bench.client.invalidate("diary/entries/days/**", refetch: .none)
        bench.clock.advance(by: .seconds(2))
        bench.activity.set(isActive: true)
        await bench.client.settled()
        #expect(bench.client.stores(matching: "diary/entries/days/**").isEmpty)
        #expect(today.store.valueUpdateCount == 2)
        #expect(bench.client.stores(matching: "diary/totals/day/*").count == 1)
        withExtendedLifetime([today.subscription, subscription]) {}
    }

    @Test func `many diaries of one client follow the calendar once, and the next client follows it again`() async throws {
        for _ in 0..<3 {
            let activity = CountingActivity()
            do {
                var context = QueryContext()
                context.activityObserver = activity
                context.foodDiary = FoodDiaryRepositories(InMemoryFoodDiary())
                let client = QueryClient(context: context, configuration: .isolated)
                let first = FoodDiary(client: client)
                let once = activity.count.withLock(\.self)
                let others = (0..<5).map { _ in FoodDiary(client: client) }
                #expect(once > 0 && activity.count.withLock(\.self) == once)
                withExtendedLifetime([first] + others) {}
            }
            #expect(activity.count.withLock(\.self) == 0)
        }
    }
}

/// An app that counts its observers.
private struct CountingActivity: ActivityObserver {
    let count = Lock(0)

    var isActive: Bool { true }

    func observe(_ handler: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
        count.withLock { $0 += 1 }
        return QuerySubscription { [count] in count.withLock { $0 -= 1 } }
    }
}
