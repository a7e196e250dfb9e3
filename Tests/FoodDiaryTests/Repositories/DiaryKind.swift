import Foundation
import QueryKit
import TestSupport

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

#if Postgres
    import FoodDiaryPostgres
    import PostgresTestSupport
#endif

/// The diaries that must behave alike.
enum DiaryKind: CaseIterable, Sendable {
    case database, file, memory, server

    /// The diaries that need no server.
    static let local: [DiaryKind] = [.database, .file, .memory]

    /// The diaries that can be tested here. A server needs the package trait Postgres and `make test-postgres`.
    static var allCases: [DiaryKind] {
        #if Postgres
            if PostgresServer.url != nil { return local + [.server] }
        #endif
        return local
    }

    func make() async throws -> FoodDiaryRepositories {
        switch self {
        case .server: try await Self.onServer()
        case .database: FoodDiaryRepositories(try await SQLiteDatabase.openFoodDiary(.inMemory))
        case .file: FoodDiaryRepositories(try await SQLiteDatabase.openFoodDiary(.temporary))
        case .memory: FoodDiaryRepositories(InMemoryFoodDiary())
        }
    }

    private static func onServer() async throws -> FoodDiaryRepositories {
        #if Postgres
            return FoodDiaryRepositories(try await ServerDiaries.shared.database())
        #else
            throw TestError()
        #endif
    }
}

/// Foods and moments for tests.
enum Meal {
    /// 21 November 2026.
    static let day = FoodDay(number: 20_778)
    static let all = FoodDay.range
    static let utc = TimeZone.gmt

    /// A moment of a day as clocks in Greenwich show it.
    static func moment(on day: FoodDay = day, at hour: Double = 12) -> FoodMoment {
        FoodMoment(Date(timeIntervalSince1970: Double(day.number) * 86_400 + hour * 3600), in: utc)
    }

    static func draft(
        _ name: String = "rice",
        _ food: FoodEntry.Draft.Food = .unlisted,
        grams: Double = 100,
        kilocalories: Double = 130,
        on day: FoodDay = day,
        at hour: Double = 12,
        confidence: Double = 1
    ) -> FoodEntry.Draft {
        FoodEntry.Draft(
            name: name,
            food: food,
            grams: grams,
            nutrients: Nutrients(kilocalories: kilocalories, protein: grams / 40),
            at: moment(on: day, at: hour),
            confidence: confidence
        )
    }

    static func ingredient(_ name: String, kilocalories: Double = 130) -> Ingredient.Draft {
        Ingredient.Draft(name: name, category: .grain, nutrients: Nutrients(kilocalories: kilocalories, protein: 2.7))
    }

    /// A draft that every diary refuses.
    static let impossible = draft(grams: -1)
}

extension FoodDiaryRepositories {
    /// All names, newest first.
    func names(in days: ClosedRange<FoodDay> = Meal.all) async throws -> [String] {
        try await entries.entries(in: days, below: nil, limit: .max).map(\.name)
    }

    /// Everything that can be read, to check that nothing has changed.
    func everything() async throws -> Everything {
        Everything(
            entries: try await entries.entries(in: Meal.all, below: nil, limit: .max),
            totals: try await totals.totals(in: Meal.all, limit: .max),
            ingredients: try await ingredients.ingredients(after: nil, limit: .max),
            summary: try await nutrition.summary(in: Meal.all),
            hours: try await nutrition.entriesByHourOfDay(in: Meal.all)
        )
    }

    struct Everything: Equatable, Sendable {
        let entries: [FoodEntry]
        let totals: [DailyTotal]
        let ingredients: [Ingredient]
        let summary: NutritionalSummary
        let hours: [Int]
    }

    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID? = nil, correctingHistory: Bool = false) async throws -> Ingredient {
        try await ingredients.save(draft, as: id, correctingHistory: correctingHistory)
    }

    func usage(of id: Ingredient.ID) async throws -> Int? { try await ingredients.ingredients([id]).first?.usageCount }
}

extension FoodEntryRepository {
    /// Changes an entry as it is now.
    func edit(_ id: FoodEntry.ID, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        try await update(try await entry(id) ?? FoodEntry(id: id, draft, ingredientID: nil), to: draft)
    }
}

/// The batches of an import, returned one after the other.
final class Batches<Element: Sendable>: Sendable {
    private let rest: Lock<[[Element]]>

    init(_ batches: [[Element]]) { rest = Lock(batches) }

    /// Returns the next batch; counts as called even when none is left.
    @Sendable func next() -> [Element]? { rest.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}
