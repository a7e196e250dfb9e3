import Foundation

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// The simplest model of a diary: arrays, with each answer computed from all entries.
struct ReferenceDiary {
    var entries: [FoodEntry] = []
    var ingredients: [Ingredient] = []
    var calls: [UUID: [FoodEntry.ID]] = [:]
    var lastEntry: Int64 = 0
    var lastIngredient: Int64 = 0

    // MARK: Writes

    mutating func add(_ drafts: [FoodEntry.Draft], key: UUID?) throws -> [FoodEntry] {
        let drafts = try drafts.map { try $0.validated() }
        if let key, let known = calls[key] { return known.compactMap { id in entries.first { $0.id == id } } }
        let added = try drafts.map { draft in
            lastEntry += 1
            return FoodEntry(id: FoodEntry.ID(rawValue: lastEntry), draft, ingredientID: try ingredient(of: draft.food))
        }
        entries += added
        if let key, !added.isEmpty { calls[key] = added.map(\.id) }
        return added
    }

    mutating func update(_ id: FoodEntry.ID, to draft: FoodEntry.Draft) throws -> FoodEntry {
        let draft = try draft.validated()
        guard let index = entries.firstIndex(where: { $0.id == id }) else { throw FoodDiaryError(.notFound, "") }
        entries[index] = FoodEntry(id: id, draft, ingredientID: try ingredient(of: draft.food))
        return entries[index]
    }

    mutating func delete(_ ids: [FoodEntry.ID]) -> [FoodEntry] {
        var deleted: [FoodEntry] = []
        for id in ids {
            deleted += entries.filter { $0.id == id }
            entries.removeAll { $0.id == id }
        }
        return deleted
    }

    mutating func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?, correctingHistory: Bool) throws -> Ingredient {
        let draft = try draft.validated()
        if ingredients.contains(where: { $0.name.lowercased() == draft.name.lowercased() && $0.id != id }) {
            throw FoodDiaryError(.duplicate, "")
        }
        guard let id else {
            lastIngredient += 1
            ingredients.append(Ingredient(id: Ingredient.ID(rawValue: lastIngredient), draft))
            return ingredients[ingredients.count - 1]
        }
        guard let index = ingredients.firstIndex(where: { $0.id == id }) else { throw FoodDiaryError(.notFound, "") }
        ingredients[index] = Ingredient(id: id, draft)
        if correctingHistory {
            entries = entries.map { $0.ingredientID == id ? $0.with(nutrients: draft.nutrients.scaled(by: $0.grams / 100)) : $0 }
        }
        return counted(ingredients[index])
    }

    mutating func delete(_ id: Ingredient.ID) -> Bool {
        let count = ingredients.count
        ingredients.removeAll { $0.id == id }
        entries = entries.map { $0.ingredientID == id ? FoodEntry(id: $0.id, $0.draft, ingredientID: nil) : $0 }
        return ingredients.count < count
    }

    mutating func importIngredients(_ drafts: [Ingredient.Draft]) throws -> IngredientImport {
        var outcome = IngredientImport()
        for draft in drafts {
            let name = try draft.validated().name.lowercased()
            let known = ingredients.first { $0.name.lowercased() == name }
            _ = try save(draft, as: known?.id, correctingHistory: false)
            if known == nil { outcome.added += 1 } else { outcome.updated += 1 }
        }
        return outcome
    }

    private func ingredient(of food: FoodEntry.Draft.Food) throws -> Ingredient.ID? {
        switch food {
        case .unlisted: return nil
        case .named(let name): return ingredients.first { $0.name.lowercased() == name.lowercased() }?.id
        case .ingredient(let id):
            guard ingredients.contains(where: { $0.id == id }) else { throw FoodDiaryError(.notFound, "") }
            return id
        }
    }

    // MARK: Reads

    /// The ingredient with the number of its entries.
    private func counted(_ ingredient: Ingredient) -> Ingredient {
        Ingredient(id: ingredient.id, ingredient.draft, usageCount: entries.count { $0.ingredientID == ingredient.id })
    }

    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position? = nil, limit: Int) -> [FoodEntry] {
        let found = entries.filter { entry in days.contains(entry.day) && position.map { entry.position < $0 } ?? true }
        return Array(
            found.sorted { ($0.day, $0.moment.date, $0.id) > ($1.day, $1.moment.date, $1.id) }.prefix(max(0, limit))
        )
    }

    func totals(in days: ClosedRange<FoodDay>, limit: Int) -> [DailyTotal] {
        let days = Set(entries.map(\.day).filter { days.contains($0) }).sorted { $0 > $1 }
        return days.prefix(max(0, limit)).map { day in
            let entries = entries.filter { $0.day == day }
            return DailyTotal(day: day, entryCount: entries.count, nutrients: sum(entries), averageConfidence: confidence(entries))
        }
    }

    func summary(in days: ClosedRange<FoodDay>) -> NutritionalSummary {
        let entries = entries.filter { days.contains($0.day) }
        return NutritionalSummary(
            days: days,
            loggedDays: Set(entries.map(\.day)).count,
            entryCount: entries.count,
            nutrients: sum(entries),
            averageConfidence: confidence(entries)
        )
    }

    func mostConsumed(in days: ClosedRange<FoodDay>, limit: Int) -> [IngredientConsumption] {
        let lines = ingredients.compactMap { ingredient -> IngredientConsumption? in
            let entries = entries.filter { days.contains($0.day) && $0.ingredientID == ingredient.id }
            guard !entries.isEmpty else { return nil }
            return IngredientConsumption(
                id: ingredient.id,
                name: ingredient.name,
                entryCount: entries.count,
                grams: Double(entries.reduce(0) { $0 + Int(($1.grams * 1000).rounded()) }) / 1000,
                kilocalories: sum(entries).kilocalories
            )
        }
        let sorted = lines.sorted { left, right in
            if left.entryCount != right.entryCount { return left.entryCount > right.entryCount }
            return left.grams == right.grams ? left.id < right.id : left.grams > right.grams
        }
        return Array(sorted.prefix(max(0, limit)))
    }

    func hours(in days: ClosedRange<FoodDay>) -> [Int] {
        (0..<24).map { hour in entries.count { days.contains($0.day) && $0.moment.hour == hour } }
    }

    var all: [Ingredient] { ingredients.sorted { $0.id < $1.id }.map { counted($0) } }

    var popular: [Ingredient] {
        all.sorted { $0.usageCount == $1.usageCount ? $0.id < $1.id : $0.usageCount > $1.usageCount }
    }

    private func sum(_ entries: [FoodEntry]) -> Nutrients { entries.reduce(.zero) { $0 + $1.nutrients } }

    private func confidence(_ entries: [FoodEntry]) -> Double? {
        guard !entries.isEmpty else { return nil }
        return Double(entries.reduce(0) { $0 + Int(($1.confidence * 1000).rounded()) }) / Double(entries.count) / 1000
    }
}
