import Foundation
import QueryKit
import QueryKitTesting
import TestSupport

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// Entries whose writes wait at a gate, whose first reads of a day may fail, or which are very many.
struct GatedEntries: FoodEntryRepository {
    let base: any FoodEntryRepository
    let gate: Gate?
    let failures: Lock<Int>
    /// How many copies of the newest entry of some days are returned.
    var crowd = 0
    /// Called before the entries of a day are read.
    var willRead: @Sendable (FoodDay) -> Void = { _ in }

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        willRead(day)
        let entries = try await base.entries(on: day, limit: limit)
        let fails = failures.withLock { left in
            left -= 1
            return left >= 0
        }
        if fails { throw FoodDiaryError(.file, "The file can't be read.") }
        return crowded(entries, limit)
    }

    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        crowded(try await base.entries(in: days, below: position, limit: limit), limit)
    }

    private func crowded(_ entries: [FoodEntry], _ limit: Int) -> [FoodEntry] {
        guard crowd > 0, let newest = entries.first else { return entries }
        return Array((Array(repeating: newest, count: crowd) + entries).prefix(limit))
    }

    func recentEntries(limit: Int) async throws -> [FoodEntry] { try await base.recentEntries(limit: limit) }

    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? { try await base.entry(id) }

    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] {
        try await gate?.pass()
        return try await base.add(drafts, key: key)
    }

    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        try await gate?.pass()
        return try await base.update(seen, to: draft)
    }

    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] {
        try await gate?.pass()
        return try await base.delete(ids)
    }

    func importEntries(leavingOutKnown: Bool, _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?) async throws -> Int {
        try await base.importEntries(leavingOutKnown: leavingOutKnown, next)
    }
}
