import Foundation
import QueryKit
import TestSupport

@testable import QueryKitSQLite

/// Entries that are written behind a gate, and whose first reads of a day fail.
struct GatedEntries: FoodEntryRepository {
    let base: any FoodEntryRepository
    let gate: Gate?
    let failures: Lock<Int>

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        let entries = try await base.entries(on: day, limit: limit)
        let fails = failures.withLock { left in
            left -= 1
            return left >= 0
        }
        if fails { throw FoodDiaryError(.file, "It can not be read.") }
        return entries
    }

    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        try await base.entries(in: days, below: position, limit: limit)
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
