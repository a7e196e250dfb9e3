import Dispatch
public import Foundation
import QueryKit

extension InMemoryFoodDiary: FoodEntryRepository {
    public func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        try await read([.diary("entries", day)]) { $0.entries(in: day...day, limit: limit) }
    }

    public func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        let upper = min(days.upperBound, position?.day ?? days.upperBound)
        guard days.lowerBound <= upper else { return [] }
        let days = days.lowerBound...upper
        return try await read(days.regions(of: "entries")) { $0.entries(in: days, below: position, limit: limit) }
    }

    public func recentEntries(limit: Int) async throws -> [FoodEntry] {
        try await entries(in: FoodDay.range, below: nil, limit: limit)
    }

    public func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? {
        try await read([.diary("entries")]) { $0.entry(id) }
    }

    public func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] {
        let drafts = try drafts.map { try $0.validated() }
        return try await write { diary in
            if let key, let known = diary.calls[key] { return known.compactMap { diary.entry($0) } }
            let entries = try diary.add(drafts)
            if let key, !entries.isEmpty { diary.remember(key, entries) }
            return entries
        }
    }

    public func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        let edit = try EntryEdit(of: seen, to: draft)
        return try await write { try $0.update(edit) }
    }

    public func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] { try await write { $0.delete(ids) } }

    public func importEntries(
        leavingOutKnown: Bool,
        _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?
    ) async throws -> Int {
        // All batches are fetched first: `next` is foreign code, which must not run with the lock held.
        let drafts = try await all(next) { try $0.validated() }
        return try await write { diary in
            guard leavingOutKnown else { return try diary.add(drafts).count }
            var known = KnownEntries()
            let new = drafts.filter { draft in !known.take(draft) { diary.entries(in: $0...$0, limit: .max) } }
            return try diary.add(new).count
        }
    }

    /// Collects all batches up to the first invalid draft. Calls `next` on a thread that may block.
    private func all<Element: Sendable>(
        _ next: @escaping @Sendable () throws -> [Element]?,
        _ validate: @escaping @Sendable (Element) throws -> Element
    ) async throws -> [Element] {
        try await ImportPull.run(next) { pull in
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(
                        with: Result {
                            var elements: [Element] = []
                            while let batch = try pull() { elements += try batch.map(validate) }
                            return elements
                        }
                    )
                }
            }
        }
    }
}

extension InMemoryFoodDiary: DailyTotalRepository {
    public func total(on day: FoodDay) async throws -> DailyTotal {
        try await read([.diary("daily_totals", day)]) { $0.totals(in: day...day, limit: 1).first ?? .empty(day) }
    }

    public func totals(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [DailyTotal] {
        try await read(days.regions(of: "daily_totals")) { $0.totals(in: days, limit: limit) }
    }

    /// Changes nothing and returns no days: this diary computes totals on each read, so they are always correct.
    public func recalculate(in days: ClosedRange<FoodDay>) async throws -> [FoodDay] { [] }

    public func check() async throws -> FoodDiaryCheck {
        try await read([.diary("entries")]) { diary in
            guard let first = diary.entries.first?.day, let last = diary.entries.last?.day else { return FoodDiaryCheck(days: nil) }
            return FoodDiaryCheck(days: first...last)
        }
    }

    public func rebuild() async throws { try Task.checkCancellation() }
}

extension InMemoryFoodDiary: IngredientRepository {
    private static let table = [QueryRegion.diary("ingredients")]

    public func ingredients(_ ids: [Ingredient.ID]) async throws -> [Ingredient] {
        try await read(Self.table) { diary in ids.compactMap { diary.ingredient($0) } }
    }

    public func ingredients(after id: Ingredient.ID?, limit: Int) async throws -> [Ingredient] {
        try await read(Self.table) { diary in
            Array(diary.ingredients.filter { ingredient in id.map { $0 < ingredient.id } ?? true }.prefix(max(0, limit)))
        }
    }

    public func search(_ typed: String, category: IngredientCategory?, limit: Int) async throws -> [Ingredient] {
        let ingredients = try await read(Self.table) { $0.ingredients }
        return IngredientMatcher.search(typed, category: category, limit: limit, among: ingredients)
    }

    public func relevantIngredients(for text: String, limit: Int) async throws -> [Ingredient] {
        let ingredients = try await read(Self.table) { $0.ingredients }
        return IngredientMatcher.relevantIngredients(for: text, limit: limit, among: ingredients)
    }

    public func popularIngredients(limit: Int) async throws -> [Ingredient] {
        try await read(Self.table) { diary in
            Array(diary.ingredients.sorted { (-$0.usageCount, $0.id) < (-$1.usageCount, $1.id) }.prefix(max(0, limit)))
        }
    }

    public func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) async throws -> Ingredient {
        try await write { diary in
            let ingredient = try diary.save(draft, as: id)
            if correctingHistory { diary.correctEntries(of: ingredient) }
            return ingredient
        }
    }

    public func delete(_ id: Ingredient.ID) async throws -> Bool { try await write { $0.delete(id) } }

    public func importIngredients(_ next: @escaping @Sendable () throws -> [Ingredient.Draft]?) async throws -> IngredientImport {
        let drafts = try await all(next) { try $0.validated() }
        return try await write { diary in
            var outcome = IngredientImport()
            for draft in drafts {
                let known = diary.ingredient(named: draft.name)
                _ = try diary.save(known.map(draft.filled) ?? draft, as: known?.id)
                if known == nil { outcome.added += 1 } else { outcome.updated += 1 }
            }
            return outcome
        }
    }
}

extension InMemoryFoodDiary: NutritionRepository {
    public func summary(in days: ClosedRange<FoodDay>) async throws -> NutritionalSummary {
        try await read(days.regions(of: "daily_totals")) { $0.summary(in: days) }
    }

    public func mostConsumedIngredients(in days: ClosedRange<FoodDay>, limit: Int) async throws -> [IngredientConsumption] {
        try await read(days.regions(of: "entries") + Self.table) { $0.consumption(in: days, limit: limit) }
    }

    public func entriesByHourOfDay(in days: ClosedRange<FoodDay>) async throws -> [Int] {
        try await read(days.regions(of: "hourly_counts")) { diary in
            var hours = Array(repeating: 0, count: 24)
            for entry in diary.entries(in: days, limit: .max) { hours[entry.moment.hour] += 1 }
            return hours
        }
    }
}

extension ClosedRange<FoodDay> {
    /// The regions of these days in a table: one per day if the days are few, otherwise the whole table.
    fileprivate func regions(of table: String) -> [QueryRegion] {
        named.map { $0.map { .diary(table, $0) } } ?? [.diary(table)]
    }
}
