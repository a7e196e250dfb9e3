import FoodDiaryKit
import FoodDiarySQLite
import FoodDiarySamples
import Foundation
import QueryKit
import QueryKitSQLite

/// A diary with a million entries and 100,000 ingredients, created once per process and deleted at its end.
final class DiaryFixture: Sendable {
    static let lastDay = FoodDay("2026-11-20") ?? FoodDay(.now, in: .gmt)
    /// Ten years.
    static let days = lastDay.advanced(by: -3_652)...lastDay
    static let month = lastDay.advanced(by: -29)...lastDay
    static let quarter = lastDay.advanced(by: -89)...lastDay

    private static let making = Task { try await DiaryFixture(entriesPerDay: 280) }

    /// The diary, created for the first case that needs it.
    static func shared() async throws -> DiaryFixture { try await making.value }

    let path: String
    let repositories: FoodDiaryRepositories
    /// Possible search input: names of ingredients, complete, incomplete, and with a typing error.
    let typed: [String]
    private let database: SQLiteDatabase
    private let folder: ScratchFolder

    /// - Parameters:
    ///   - entriesPerDay: The number of entries on each day of ten years.
    ///   - reading: The time limit for reads on their callers' threads; `nil` for the default.
    init(entriesPerDay: Int, reading: Duration? = nil) async throws {
        folder = try ScratchFolder()
        path = folder.url.appending(path: "diary.sqlite").path(percentEncoded: false)
        var configuration = SQLiteDatabase.Configuration()
        if let reading { configuration.callersThreadLimit = reading }
        database = try await SQLiteDatabase.openFoodDiary(.file(URL(filePath: path)), configuration: configuration)
        repositories = FoodDiaryRepositories(database)
        let sample = FoodDiarySample(ingredientCount: 100_000, days: Self.days, entriesPerDay: entriesPerDay)
        try await sample.fill(repositories.ingredients, repositories.entries)
        _ = try await database.checkpoint()
        var names: [String] = []
        for step in 0..<200 {
            let page = try await repositories.ingredients.ingredients(after: Ingredient.ID(rawValue: Int64(step * 499)), limit: 1)
            names += page.map(\.name)
        }
        typed = names.enumerated().map { number, name in
            switch number % 4 {
            case 0: name
            case 1: String(name.prefix(3))
            case 2: String(name.prefix(6))
            default: name.count > 4 ? String(name.prefix(2)) + String(name.dropFirst(3)) : name
            }
        }
    }

    /// The same diary as a new process opens it: nothing is in memory except the system's file cache.
    func opened(readerCount: Int? = nil) async throws -> (database: SQLiteDatabase, repositories: FoodDiaryRepositories) {
        var configuration = SQLiteDatabase.Configuration()
        if let readerCount { configuration.readerCount = readerCount }
        let database = try await SQLiteDatabase.openFoodDiary(.file(URL(filePath: path)), configuration: configuration)
        return (database, FoodDiaryRepositories(database))
    }
}

/// A folder that is deleted when the process ends, because fixtures in static properties are never deallocated.
private struct ScratchFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "querykit-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let path = url.path(percentEncoded: false)
        let isFirst = Self.paths.withLock { paths in
            paths.append(path)
            return paths.count == 1
        }
        if isFirst { atexit { for path in ScratchFolder.paths.withLock(\.self) { try? FileManager.default.removeItem(atPath: path) } } }
    }

    private static let paths = Guarded<[String]>([])
}
