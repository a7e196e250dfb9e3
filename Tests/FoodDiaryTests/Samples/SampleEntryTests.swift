import Foundation
import QueryKit
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct SampleEntryTests {
    private static let eaten: [Ingredient] = {
        let catalog = SampleCatalog(seed: 1, languages: [])
        return (0..<400).map { Ingredient(id: Ingredient.ID(rawValue: Int64($0 + 1)), catalog.draft($0)) }
    }()

    private func sample(_ first: String, _ last: String, entriesPerDay: Int = 12, seed: UInt64 = 1, in zone: String = "Europe/Berlin")
        throws
        -> FoodDiarySample
    {
        let days = try #require(FoodDay(first))...#require(FoodDay(last))
        return FoodDiarySample(seed: seed, days: days, entriesPerDay: entriesPerDay, timeZone: try #require(TimeZone(identifier: zone)))
    }

    private func entries(_ sample: FoodDiarySample) -> [FoodEntry.Draft] {
        var batches = sample.entries(of: Self.eaten)
        var drafts: [FoodEntry.Draft] = []
        while let batch = batches.next() { drafts += batch }
        return drafts
    }

    @Test func `entries are valid, in order, on the requested days, and as many as stated`() throws {
        let sample = try sample("2025-01-01", "2025-12-31")
        let drafts = entries(sample)
        #expect(drafts.count == sample.entryCount)
        #expect((3_500...4_500).contains(drafts.count))
        let validated = try drafts.map { try $0.validated() }
        #expect(validated == drafts)
        #expect(drafts.map(\.moment.date) == drafts.map(\.moment.date).sorted())
        #expect(drafts.allSatisfy { sample.days.contains($0.moment.day) })
    }

    @Test func `moments are in the time zone, even when clocks change`() throws {
        for zone in ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"] {
            let sample = try sample("2025-03-01", "2025-04-15", in: zone)
            for draft in entries(sample) { #expect(draft.moment == FoodMoment(draft.moment.date, in: sample.timeZone)) }
        }
    }

    @Test func `a day that a time zone skips has no entries`() throws {
        let days = entries(try sample("2011-12-28", "2012-01-02", in: "Pacific/Apia")).map(\.moment.day.description)
        #expect(Set(days).isSuperset(of: ["2011-12-29", "2011-12-31"]))
        #expect(!days.contains("2011-12-30"))
    }

    @Test func `a day is the same regardless of the requested days`() throws {
        let march = entries(try sample("2025-03-01", "2025-03-31"))
        let spring = entries(try sample("2025-02-01", "2025-05-31")).filter { $0.moment.day.month == 3 }
        #expect(march == spring)
        #expect(march != entries(try sample("2025-03-01", "2025-03-31", seed: 2)))
    }

    @Test(arguments: ["Europe/Berlin", "Pacific/Kiritimati", "Etc/GMT+12"])
    func `a day that is not over has the entries up to now that it will have in the end`(zone: String) throws {
        let whole = try sample("2025-03-28", "2025-04-02", in: zone)
        let drafts = entries(whole)
        for hours in stride(from: -20.0, through: 150, by: 13) {
            let end = whole.days.lowerBound.start(in: whole.timeZone).addingTimeInterval(hours * 3600)
            let sample = FoodDiarySample(days: whole.days, timeZone: whole.timeZone, end: end)
            #expect(entries(sample) == drafts.filter { $0.moment.date <= end })
            #expect(entries(sample).count == sample.entryCount)
        }
    }

    @Test func `a few ingredients are eaten most, and some entries have none`() throws {
        let drafts = entries(try sample("2024-01-01", "2025-12-31"))
        let listed = drafts.filter { $0.food != .unlisted }
        #expect((0.9...0.99).contains(Double(listed.count) / Double(drafts.count)))
        let counts = Dictionary(grouping: listed, by: \.food).values.map(\.count).sorted(by: >)
        #expect(counts.prefix(100).reduce(0, +) > listed.count / 2)
        #expect(counts.count > 300)
        #expect(Set(drafts.map(\.confidence)).count > 40)
    }

    @Test func `meals are at their hours, later at weekends, and some days are skipped`() throws {
        let drafts = entries(try sample("2024-01-01", "2025-12-31"))
        #expect(drafts.allSatisfy { (5...23).contains($0.moment.hour) })
        let first = Dictionary(grouping: drafts, by: \.moment.day).mapValues { $0.map(\.moment.hour).min() ?? 0 }
        let average = { (hours: [Int]) in Double(hours.reduce(0, +)) / Double(hours.count) }
        let atWork = average(first.filter { $0.key.weekday.rawValue <= 5 }.map(\.value))
        #expect(average(first.filter { $0.key.weekday.rawValue > 5 }.map(\.value)) > atWork + 1)
        #expect((660...725).contains(first.count))
    }

    @Test func `seasons change what is eaten`() throws {
        let drafts = entries(try sample("2023-01-01", "2025-12-31"))
        let berries = drafts.filter { $0.name.lowercased().contains("berry") }.map(\.moment.day.month)
        #expect(berries.filter { (6...8).contains($0) }.count > 3 * berries.filter { [12, 1, 2].contains($0) }.count)
    }

    @Test func `without ingredients all entries are unlisted, and without entries there are none`() throws {
        var unlisted = try sample("2025-01-01", "2025-01-31").entries(of: [])
        let batch = unlisted.next() ?? []
        #expect(!batch.isEmpty && batch.allSatisfy { $0.food == .unlisted })
        #expect(entries(try sample("2025-01-01", "2025-12-31", entriesPerDay: 0)).isEmpty)
    }

    @Test func `a diary can be filled with a sample`() async throws {
        let diary = InMemoryFoodDiary()
        let days = FoodDay(number: 20_000)...FoodDay(number: 20_030)
        let sample = FoodDiarySample(ingredientCount: 600, days: days, entriesPerDay: 5)
        let reported = Lock<[Int]>([])
        try await sample.fill(diary, diary) { done, total in
            reported.withLock { $0.append(done) }
            #expect(total == 600 + sample.entryCount)
        }
        #expect(try await diary.ingredients(after: nil, limit: 1000).count == 600)
        #expect(try await diary.summary(in: days).entryCount == sample.entryCount)
        let steps = reported.withLock { $0 }
        #expect(steps == steps.sorted() && steps.last == 600 + sample.entryCount)
    }

    @Test func `a cancelled filling stops`() async {
        let diary = InMemoryFoodDiary()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await FoodDiarySample(days: FoodDay(number: 1)...FoodDay(number: 2)).fill(diary, diary)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
