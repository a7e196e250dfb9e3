// On other systems the resident memory can't be read from a file.
#if os(Linux)
    import Foundation
    import QueryKit
    import TestSupport
    import Testing

    @testable import FoodDiaryKit
    @testable import FoodDiarySQLite
    @testable import FoodDiarySamples
    @testable import QueryKitSQLite

    /// The limits of the contracts, measured in resident memory, each in a process of its own.
    struct ResidentMemoryTests {
        @Test func `R15 a year of 38,491 entries takes at most 12 MB of resident memory, and 50 MB if read three times`() async throws {
            let folder = try TemporaryFolder()
            let days = FoodBench.friday.advanced(by: -364)...FoodBench.friday
            try await fill(folder, days, count: 38_491)
            let path = folder.path()
            await #expect(processExitsWith: .success) { [path = path as String] in
                let days = FoodBench.friday.advanced(by: -364)...FoodBench.friday
                let diary = try await FoodDiary.open(.file(URL(filePath: path)))
                _ = try await diary.fetchEntries(for: days.lowerBound)
                let before = residentByteCount()
                let entries = try await diary.fetchEntries(in: days)
                let year = residentByteCount() - before
                precondition(entries.count == 38_491 && year < 12_000_000, "\(entries.count) entries take \(year) bytes")
                // The same year as a calendar shows it, day by day, and as a list does.
                for day in days { _ = try await diary.fetchEntries(for: day) }
                let pages = diary.client.store(for: FoodEntry.pages(in: days))
                _ = try await pages.fetch()
                while pages.state.hasNextPage { _ = try await pages.fetchNextPage() }
                let all = residentByteCount() - before
                precondition(all < 50_000_000, "A year takes \(year) bytes, and all of it three times \(all)")
                withExtendedLifetime(entries) {}
            }
        }
    }

    /// Fills a diary in a file. Another process reads it, because this one has memory left over that a read could reuse.
    private func fill(_ folder: TemporaryFolder, _ days: ClosedRange<FoodDay>, count: Int) async throws {
        let database = try await SQLiteDatabase.openFoodDiary(.file(folder.file()))
        let repositories = FoodDiaryRepositories(database)
        let sample = FoodDiarySample(ingredientCount: 500, days: days, entriesPerDay: count / 365 + 10, timeZone: FoodBench.berlin)
        let drafts = Lock(sample.ingredients())
        _ = try await repositories.ingredients.importIngredients { drafts.withLock { $0.next() } }
        let eaten = try await repositories.ingredients.ingredients(after: nil, limit: 500)
        let (meals, left) = (Lock(sample.entries(of: eaten)), Lock(count))
        _ = try await repositories.entries.importEntries {
            guard let batch = meals.withLock({ $0.next() }) else { return nil }
            return left.withLock { left in
                let taken = Array(batch.prefix(left))
                left -= taken.count
                return taken.isEmpty ? nil : taken
            }
        }
        await database.close()
    }

    /// How many bytes of this process are resident.
    private func residentByteCount() -> Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
        return pages.flatMap { Int($0) }.map { $0 * 4_096 } ?? 0
    }
#endif
