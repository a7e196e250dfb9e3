import FoodDiaryKit
import Foundation
import QueryKitTesting

/// Entries whose reads and writes the test can hold or make fail.
struct HeldEntries: FoodEntryRepository {
    let base: any FoodEntryRepository
    let reads: Gate
    let writes: Gate

    func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        try await reads.pass()
        return try await base.entries(on: day, limit: limit)
    }

    func entries(
        in days: ClosedRange<FoodDay>,
        below position: FoodEntry.Position?,
        limit: Int
    ) async throws -> [FoodEntry] {
        try await reads.pass()
        return try await base.entries(in: days, below: position, limit: limit)
    }

    func recentEntries(limit: Int) async throws -> [FoodEntry] {
        try await base.recentEntries(limit: limit)
    }

    func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? { try await base.entry(id) }

    func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] {
        try await writes.pass()
        return try await base.add(drafts, key: key)
    }

    func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        try await writes.pass()
        return try await base.update(seen, to: draft)
    }

    func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] {
        try await writes.pass()
        return try await base.delete(ids)
    }

    func importEntries(
        leavingOutKnown: Bool,
        _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?
    ) async throws -> Int { try await base.importEntries(leavingOutKnown: leavingOutKnown, next) }
}

/// Ingredients whose searches and saves the test can hold or make fail.
struct HeldIngredients: IngredientRepository {
    let base: any IngredientRepository
    let reads: Gate
    let writes: Gate

    func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient] {
        try await base.ingredients(ids)
    }

    func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient] {
        try await base.ingredients(after: id, limit: limit)
    }

    func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws
        -> [Ingredient]
    {
        try await reads.pass()
        return try await base.search(typed, category: category, limit: limit)
    }

    func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient] {
        try await base.relevantIngredients(for: text, limit: limit)
    }

    func popularIngredients(limit: Int) async throws -> [Ingredient] {
        try await reads.pass()
        return try await base.popularIngredients(limit: limit)
    }

    func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool)
        async throws -> Ingredient
    {
        try await writes.pass()
        return try await base.save(draft, as: id, correctingHistory: correctingHistory)
    }

    func delete(_ id: Ingredient.ID) async throws -> Bool { try await base.delete(id) }

    func importIngredients(
        _ next: @escaping @Sendable () throws -> [Ingredient.Draft]?
    ) async throws -> IngredientImport { try await base.importIngredients(next) }
}

/// Totals of many days whose reads the test can hold or make fail.
struct HeldTotals: DailyTotalRepository {
    let base: any DailyTotalRepository
    let reads: Gate

    func total(on day: FoodDay) async throws -> DailyTotal { try await base.total(on: day) }

    func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await reads.pass()
        return try await base.totals(in: days, limit: limit)
    }

    func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] {
        try await base.recalculate(in: days)
    }

    func check() async throws -> FoodDiaryCheck { try await base.check() }

    func rebuild() async throws { try await base.rebuild() }
}
