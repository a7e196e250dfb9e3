import Foundation
import SQLiteTestSupport
import TestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

/// A file that two processes import at once: each has its own database connection to the same file.
struct ConcurrentImportTests {
    private let folder: TemporaryFolder
    private let file: FoodDiaryFile

    init() throws {
        folder = try TemporaryFolder()
        let rows = (0..<1_500).map { "2026-11-\(10 + $0 % 20)T08:30:00+01:00,food \($0 % 700),100,50\n" }
        try Data(("date,name,grams,kcal\n" + rows.joined()).utf8).write(to: folder.file("entries.csv"))
        file = try FoodDiaryFile(folder.file("entries.csv"))
    }

    private func open() async throws -> SQLiteDatabase { try await SQLiteDatabase.openFoodDiary(.file(folder.file())) }

    @Test func `two concurrent imports of a file add each of its entries once`() async throws {
        let (first, second) = (try await open(), try await open())
        async let one = file.importEntries(into: SQLiteFoodEntryRepository(first))
        async let two = file.importEntries(into: SQLiteFoodEntryRepository(second))
        let added = try await [one.addedCount, two.addedCount].sorted()
        #expect(added == [0, 1_500])
        #expect(try await first.count("SELECT count(*) FROM entries") == 1_500)
        await first.close()
        await second.close()
    }

    @Test func `entries that another process imported since the file was checked count as known`() async throws {
        let (first, second) = (try await open(), try await open())
        let late = LateEntries(base: SQLiteFoodEntryRepository(first)) { [file] in
            _ = try await file.importEntries(into: SQLiteFoodEntryRepository(second))
        }
        let outcome = try await file.importEntries(into: late)
        #expect((outcome.addedCount, outcome.knownCount) == (0, 1_500))
        #expect(try await first.count("SELECT count(*) FROM entries") == 1_500)
        await first.close()
        await second.close()
    }
}

/// Entries that call a closure just before they are imported.
private struct LateEntries: FoodEntryRepository {
    let base: SQLiteFoodEntryRepository
    let meanwhile: @Sendable () async throws -> Void

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] { try await base.entries(on: day, limit: limit) }
    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        try await base.entries(in: days, below: position, limit: limit)
    }
    func recentEntries(limit: Int) async throws -> [FoodEntry] { try await base.recentEntries(limit: limit) }
    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? { try await base.entry(id) }
    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] { try await base.add(drafts, key: key) }
    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry { try await base.update(seen, to: draft) }
    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] { try await base.delete(ids) }

    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await meanwhile()
        return try await base.importEntries(leavingOutKnown: leavingOutKnown, next)
    }
}
