import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// Names in a long list from a database, where equal ones share their memory.
struct FoodDiaryNamesTests {
    @Test func `the names in a long list are those that were logged, few or many, short or long`() async throws {
        let bench = try await FoodBench()
        // More long names than a read's table has slots, names with equal beginnings and ends, and names of every length around the limit.
        let names =
            (0..<6_000).map { "A name that is long \($0 / 2 * 2) of many" } + (0..<40).map { String(repeating: "ü", count: $0 + 1) }
            + (0..<40).map { "Begins alike" + String(repeating: "x", count: $0) + "ends alike" } + ["1234567890abcde", "1234567890abcdef"]
        let batches = Lock([
            names.enumerated().map { number, name in Meal.draft(name, on: FoodBench.friday.advanced(by: -(number % 3))) }
        ])
        _ = try await bench.entries.importEntries { batches.withLock { $0.popLast() } }
        let days = FoodBench.friday.advanced(by: -2)...FoodBench.friday
        for _ in 0..<2 {
            let entries = try await bench.entries.entries(in: days, below: nil, limit: 10_000)
            #expect(entries.sorted { $0.id < $1.id }.map(\.name) == names)
            #expect(entries.allSatisfy { $0.moment.timeZone == "GMT" })
        }
        #expect(try await bench.entries.entries(in: days, below: nil, limit: 3).count == 3)
    }

    @Test func `equal names and time zones in a long list are stored once`() async throws {
        let bench = try await FoodBench()
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        for number in 0..<200 {
            var draft = bench.portion(100, days: -(number % 5))
            draft.name = "A name that is long \(number % 10) of ten"
            draft.moment = FoodMoment(draft.moment.date, in: zone)
            _ = try await bench.entries.add(draft)
        }
        let days = FoodBench.friday.advanced(by: -5)...FoodBench.friday
        let entries = try await bench.entries.entries(in: days, below: nil, limit: 1_000)
        #expect(entries.count == 200)
        func storages(_ texts: [String]) -> Int {
            Set(texts.map { $0.utf8.withContiguousStorageIfAvailable { Int(bitPattern: $0.baseAddress) } }).count
        }
        #expect(storages(entries.map(\.name)) == 10 && storages(entries.map(\.moment.timeZone)) == 1)
    }
}
