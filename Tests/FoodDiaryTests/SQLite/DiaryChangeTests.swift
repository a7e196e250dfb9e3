import Foundation
import QueryKit
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// Which changes a diary reports and which regions its reads note: days where days matter, and the same in memory as in a database.
struct DiaryChangeTests {
    /// A diary, and a listener for its changes.
    private struct ChangeRecorder {
        let diary: FoodDiaryRepositories
        let changed = Lock<[String]>([])
        let read = Lock<[String]>([])
        private let subscription: QuerySubscription?

        init(_ kind: DiaryKind) async throws {
            switch kind {
            case .memory:
                let memory = InMemoryFoodDiary()
                diary = FoodDiaryRepositories(memory)
                subscription = nil
                memory.observe(with: Observer(changed: changed, read: read))
            case .database, .file:
                let database = try await SQLiteDatabase.openFoodDiary(kind == .file ? .temporary : .inMemory)
                diary = FoodDiaryRepositories(database)
                let observer = Observer(changed: changed, read: read)
                subscription = database.core.feed.subscribe { observer.note(change: $0.regions.map(\.unredacted)) }
                database.core.observeReads(with: observer)
            // What a server reports is tested with its own adapter.
            case .server: throw TestError()
            }
        }

        /// The regions that a call has changed, without those that only a database has.
        func changes(_ body: (FoodDiaryRepositories) async throws -> Void) async throws -> [String] {
            changed.withLock { $0 = [] }
            try? await body(diary)
            return changed.withLock { $0 }.filter { !$0.hasPrefix("ingredient_") && $0 != "logged_calls" }.sorted()
        }

        func reads(_ body: (FoodDiaryRepositories) async throws -> Void) async throws -> [String] {
            read.withLock { $0 = [] }
            try await body(diary)
            return read.withLock { $0 }.sorted()
        }
    }

    private final class Observer: DiaryObserver, ReadObserver {
        private let changed: Lock<[String]>
        private let read: Lock<[String]>

        init(changed: Lock<[String]>, read: Lock<[String]>) {
            self.changed = changed
            self.read = read
        }

        func willRead(_ regions: [QueryRegion]) { note(regions.map(Self.text)) }

        func changed(_ regions: Set<QueryRegion>) -> @Sendable () -> Void { { self.note(change: regions.map(Self.text)) } }

        func note(_ list: RegionList, for run: SourceRun?) { note(list.regions.map(\.unredacted)) }

        func note(change regions: [String]) { changed.withLock { $0 += regions } }

        private func note(_ regions: [String]) { read.withLock { $0 += regions } }

        /// The region as a database names it.
        private static func text(_ region: QueryRegion) -> String {
            SQLiteRegion(table: region.name, partition: region.partition).unredacted
        }

        func outdate(_ regions: [SQLiteRegion], for run: SourceRun?) {}
    }

    private static let day = Meal.day
    private static let next = Meal.day.advanced(by: 1)
    private static let ofDay = ["daily_totals/20261121", "entries/20261121", "hourly_counts/20261121"]
    private static let ofNext = ["daily_totals/20261122", "entries/20261122", "hourly_counts/20261122"]

    @Test(arguments: DiaryKind.local)
    func `D5 R18 a change of entries reports their days, and the ingredients whose usage changes`(_ kind: DiaryKind) async throws {
        let received = try await ChangeRecorder(kind)
        let rice = try await received.diary.save(Meal.ingredient("Rice"))
        let unlisted = try await received.diary.entries.add(Meal.draft("a"))
        let listed = try await received.diary.entries.add(Meal.draft("b", .ingredient(rice.id), on: Self.next))
        let key = UUID()
        func expect(_ regions: [String], _ body: (any FoodEntryRepository) async throws -> Void, line: Int = #line) async throws {
            let reported = try await received.changes { try await body($0.entries) }
            #expect(reported == regions.sorted(), "line \(line)")
        }
        try await expect(Self.ofDay) { _ = try await $0.add([Meal.draft("c")], key: key) }
        try await expect([]) { _ = try await $0.add([Meal.draft("c")], key: key) }
        try await expect([]) { _ = try await $0.add([], key: nil) }
        try await expect([]) { _ = try await $0.add([Meal.draft("d"), Meal.impossible], key: nil) }
        try await expect(["ingredients"] + Self.ofNext) { _ = try await $0.add(Meal.draft("e", .ingredient(rice.id), on: Self.next)) }
        try await expect(Self.ofDay + Self.ofNext) {
            let batches = Batches([[Meal.draft("f")], [Meal.draft("g", on: Self.next)]])
            _ = try await $0.importEntries(batches.next)
        }
        // Unchanged parts are not reported: a name affects only the list, an amount the list and the total.
        try await expect([]) { _ = try await $0.edit(listed.id, to: listed.draft) }
        try await expect(["entries/20261122"]) { entries in
            var draft = listed.draft
            draft.name = "renamed"
            _ = try await entries.edit(listed.id, to: draft)
        }
        try await expect(["daily_totals/20261121", "entries/20261121"]) {
            _ = try await $0.edit(unlisted.id, to: Meal.draft("a", kilocalories: 1))
        }
        try await expect(["daily_totals/20261121", "entries/20261121"]) {
            _ = try await $0.edit(unlisted.id, to: Meal.draft("a", kilocalories: 1, confidence: 0.5))
        }
        try await expect(["entries/20261121", "hourly_counts/20261121"]) {
            _ = try await $0.edit(unlisted.id, to: Meal.draft("a", kilocalories: 1, at: 13, confidence: 0.5))
        }
        try await expect(["entries/20261121", "ingredients"]) {
            _ = try await $0.edit(unlisted.id, to: Meal.draft("a", .ingredient(rice.id), kilocalories: 1, at: 13, confidence: 0.5))
        }
        try await expect(Self.ofDay + Self.ofNext) {
            _ = try await $0.edit(unlisted.id, to: Meal.draft("a", .ingredient(rice.id), on: Self.next))
        }
        try await expect([]) { _ = try await $0.edit(FoodEntry.ID(rawValue: 99), to: Meal.draft()) }
        try await expect([]) { _ = try await $0.delete([FoodEntry.ID(rawValue: 99)]) }
        try await expect(["ingredients"] + Self.ofNext) { _ = try await $0.delete([listed.id]) }
    }

    @Test(arguments: DiaryKind.local)
    func `D5 R18 a change of an ingredient reports its table, and the days that it corrects`(_ kind: DiaryKind) async throws {
        let received = try await ChangeRecorder(kind)
        let rice = try await received.diary.save(Meal.ingredient("Rice"))
        _ = try await received.diary.entries.add(FoodEntry.Draft(rice, grams: 100, at: Meal.moment()))
        _ = try await received.diary.entries.add(Meal.draft("other", on: Self.next))
        func expect(_ regions: [String], _ body: (any IngredientRepository) async throws -> Void, line: Int = #line) async throws {
            #expect(try await received.changes { try await body($0.ingredients) } == regions.sorted(), "line \(line)")
        }
        try await expect(["ingredients"]) { _ = try await $0.save(Meal.ingredient("Bread"), as: nil, correctingHistory: true) }
        try await expect([]) { _ = try await $0.save(Meal.ingredient("bread"), as: nil, correctingHistory: true) }
        try await expect([]) { _ = try await $0.save(rice.draft, as: rice.id, correctingHistory: true) }
        try await expect(["ingredients"]) {
            _ = try await $0.save(Meal.ingredient("rice", kilocalories: 9), as: rice.id, correctingHistory: false)
        }
        try await expect(["daily_totals/20261121", "entries/20261121"]) {
            _ = try await $0.save(Meal.ingredient("rice", kilocalories: 9), as: rice.id, correctingHistory: true)
        }
        try await expect(["ingredients"]) {
            let batches = Batches([[Meal.ingredient("Oats")]])
            _ = try await $0.importIngredients(batches.next)
        }
        try await expect([]) { _ = try await $0.importIngredients { nil } }
        try await expect(["entries/20261121", "ingredients"]) { _ = try await $0.delete(rice.id) }
        try await expect([]) { _ = try await $0.delete(rice.id) }
        #expect(try await received.changes { _ = try await $0.totals.recalculate(in: Meal.all) } == [])
    }

    @Test(arguments: DiaryKind.local)
    func `R18 a read claims its days, and more than 62 as their range or the table`(_ kind: DiaryKind) async throws {
        let received = try await ChangeRecorder(kind)
        func expect(_ regions: [String], _ body: (FoodDiaryRepositories) async throws -> Void, line: Int = #line) async throws {
            #expect(try await received.reads(body) == regions.sorted(), "line \(line)")
        }
        let two = Self.day...Self.next
        try await expect(["entries/20261121"]) { _ = try await $0.entries.entries(on: Self.day, limit: 9) }
        try await expect(["entries/20261121", "entries/20261122"]) { _ = try await $0.entries.entries(in: two, below: nil, limit: 9) }
        // Entries above the position are not read.
        let position = FoodEntry.Position(day: Self.day, milliseconds: .max, id: FoodEntry.ID(rawValue: 1))
        try await expect(["entries/20261121"]) { _ = try await $0.entries.entries(in: two, below: position, limit: 9) }
        try await expect([]) { _ = try await $0.entries.entries(in: Self.next...Self.next, below: position, limit: 9) }
        let all = FoodDay.range
        try await expect([kind == .memory ? "entries" : "entries[day >= \(all.lowerBound.compact), day <= \(all.upperBound.compact)]"]) {
            _ = try await $0.entries.recentEntries(limit: 9)
        }
        try await expect([kind == .memory ? "entries" : "entries#1"]) { _ = try await $0.entries.entry(FoodEntry.ID(rawValue: 1)) }
        try await expect(["daily_totals/20261121"]) { _ = try await $0.totals.total(on: Self.day) }
        try await expect(["daily_totals/20261121", "daily_totals/20261122"]) { _ = try await $0.totals.totals(in: two, limit: 9) }
        try await expect(["daily_totals/20261121", "daily_totals/20261122"]) { _ = try await $0.nutrition.summary(in: two) }
        try await expect(["hourly_counts/20261121", "hourly_counts/20261122"]) { _ = try await $0.nutrition.entriesByHourOfDay(in: two) }
        try await expect(["entries/20261121", "entries/20261122", "ingredients"]) {
            _ = try await $0.nutrition.mostConsumedIngredients(in: two, limit: 9)
        }
        try await expect(["ingredients"]) { _ = try await $0.ingredients.popularIngredients(limit: 9) }
        try await expect(["ingredients"]) { _ = try await $0.ingredients.ingredients(after: nil, limit: 9) }
        try await expect([kind == .memory ? "ingredients" : "ingredients#1"]) {
            _ = try await $0.ingredients.ingredients([Ingredient.ID(rawValue: 1)])
        }
        for (count, isNamed) in [(62, true), (63, false)] {
            let days = Self.day...Self.day.advanced(by: count - 1)
            for (table, read) in [
                ("entries", { _ = try await $0.entries.entries(in: days, below: nil, limit: 9) }),
                ("daily_totals", { _ = try await $0.totals.totals(in: days, limit: 9) }),
                ("daily_totals", { _ = try await $0.nutrition.summary(in: days) }),
                ("hourly_counts", { _ = try await $0.nutrition.entriesByHourOfDay(in: days) }),
            ] as [(String, (FoodDiaryRepositories) async throws -> Void)] {
                let regions = try await received.reads(read)
                let range = "\(table)[day >= \(days.lowerBound.compact), day <= \(days.upperBound.compact)]"
                #expect(
                    isNamed
                        ? regions.count == 62 && regions.allSatisfy { $0.hasPrefix(table + "/") }
                        : regions == [table] || kind != .memory && regions == [range]
                )
            }
        }
    }
}
