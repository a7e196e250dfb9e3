import Foundation
import QueryKit

/// The contents of a diary in memory, as a value: a change is made to a copy, and a failed change is discarded with that copy.
struct MemoryDiary: Sendable {
    /// Sorted by position, so the newest is last.
    private(set) var entries: [FoodEntry] = []
    /// Sorted by key.
    private(set) var ingredients: [Ingredient] = []
    private(set) var calls: [UUID: [FoodEntry.ID]] = [:]
    /// The rows that were written, including the totals that follow from them.
    private var written: Set<QueryRegion> = []
    private var tally = DiaryTally()
    /// The number of changes so far.
    private(set) var version: UInt64 = 0

    private var lastEntry: Int64 = 0
    private var lastIngredient: Int64 = 0
}

// MARK: Changes

extension MemoryDiary {
    /// Returns the tables and days changed since the last call, as regions of a database.
    mutating func takeChanged() -> Set<QueryRegion> {
        var changed = written
        for (day, change) in tally.days {
            if !change.isEven { changed.insert(.diary("daily_totals", day)) }
            if change.hours.contains(where: { $0.value != 0 }) { changed.insert(.diary("hourly_counts", day)) }
        }
        if tally.usage.contains(where: { $0.value != 0 }) { changed.insert(.diary("ingredients")) }
        written = []
        tally = DiaryTally()
        if !changed.isEmpty { version += 1 }
        return changed
    }

    private mutating func insert(_ entry: FoodEntry) {
        entries.insert(entry, at: entries.partitioningIndex { $0.position > entry.position })
        written.insert(.diary("entries", entry.day))
        tally.add(entry)
        count(entry, 1)
    }

    private mutating func remove(_ entry: FoodEntry) {
        entries.removeAll { $0.id == entry.id }
        written.insert(.diary("entries", entry.day))
        tally.remove(entry)
        count(entry, -1)
    }

    private mutating func count(_ entry: FoodEntry, _ usage: Int) {
        guard let index = entry.ingredientID.flatMap({ id in ingredients.firstIndex { $0.id == id } }) else { return }
        let ingredient = ingredients[index]
        ingredients[index] = Ingredient(id: ingredient.id, ingredient.draft, usageCount: max(0, ingredient.usageCount + usage))
    }
}

// MARK: Entries

extension MemoryDiary {
    /// Entries of a range of days, newest first, limited to those below a position.
    func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position? = nil, limit: Int) -> [FoodEntry] {
        let upper = position.map { position in entries.partitioningIndex { $0.position >= position } } ?? entries.endIndex
        let end = min(upper, entries.partitioningIndex { $0.day > days.upperBound })
        let start = entries.partitioningIndex { $0.day >= days.lowerBound }
        guard start < end else { return [] }
        return Array(entries[start..<end].suffix(max(0, limit)).reversed())
    }

    func entry(_ id: FoodEntry.ID) -> FoodEntry? { entries.first { $0.id == id } }

    mutating func add(_ drafts: [FoodEntry.Draft]) throws -> [FoodEntry] {
        try drafts.map { draft in
            let draft = try draft.validated()
            lastEntry += 1
            let entry = FoodEntry(id: FoodEntry.ID(rawValue: lastEntry), draft, ingredientID: try id(of: draft.food))
            insert(entry)
            return entry
        }
    }

    mutating func remember(_ call: UUID, _ entries: [FoodEntry]) { calls[call] = entries.map(\.id) }

    mutating func update(_ edit: EntryEdit) throws -> FoodEntry {
        guard let old = entry(edit.seen.id) else { throw FoodDiaryError.noEntry(edit.seen.id) }
        let entry = try edit.applied(to: old) { try id(of: $0) }
        guard entry != old else { return old }
        remove(old)
        insert(entry)
        return entry
    }

    mutating func delete(_ ids: [FoodEntry.ID]) -> [FoodEntry] {
        ids.compactMap { id in
            guard let entry = entry(id) else { return nil }
            remove(entry)
            return entry
        }
    }

    private func id(of food: FoodEntry.Draft.Food) throws -> Ingredient.ID? {
        switch food {
        case .unlisted: return nil
        case .named(let name): return ingredient(named: FoodBounds.tidied(name))?.id
        case .ingredient(let id):
            guard ingredient(id) != nil else { throw FoodDiaryError.noIngredient(id) }
            return id
        }
    }
}

// MARK: Ingredients

extension MemoryDiary {
    func ingredient(_ id: Ingredient.ID) -> Ingredient? { ingredients.first { $0.id == id } }

    func ingredient(named name: String) -> Ingredient? {
        let key = Ingredient.key(of: name)
        return ingredients.first { Ingredient.key(of: $0.name) == key }
    }

    mutating func save(_ draft: Ingredient.Draft, as id: Ingredient.ID?) throws -> Ingredient {
        let draft = try draft.validated()
        let namesake = ingredient(named: draft.name)
        if let namesake, namesake.id != id { throw FoodDiaryError.nameTaken(namesake.name) }
        guard let id else {
            lastIngredient += 1
            let ingredient = Ingredient(id: Ingredient.ID(rawValue: lastIngredient), draft)
            ingredients.append(ingredient)
            written.insert(.diary("ingredients"))
            return ingredient
        }
        guard let index = ingredients.firstIndex(where: { $0.id == id }) else { throw FoodDiaryError.noIngredient(id) }
        let ingredient = Ingredient(id: id, draft, usageCount: ingredients[index].usageCount)
        if ingredient != ingredients[index] { written.insert(.diary("ingredients")) }
        ingredients[index] = ingredient
        return ingredient
    }

    /// Sets the nutrients of all entries of an ingredient to its current ones.
    mutating func correctEntries(of ingredient: Ingredient) {
        for entry in entries where entry.ingredientID == ingredient.id {
            let corrected = entry.with(nutrients: ingredient.nutrients(in: entry.grams))
            guard corrected != entry else { continue }
            remove(entry)
            insert(corrected)
        }
    }

    mutating func delete(_ id: Ingredient.ID) -> Bool {
        guard let index = ingredients.firstIndex(where: { $0.id == id }) else { return false }
        ingredients.remove(at: index)
        written.insert(.diary("ingredients"))
        for (index, entry) in entries.enumerated() where entry.ingredientID == id {
            var draft = entry.draft
            draft.food = .unlisted
            entries[index] = FoodEntry(id: entry.id, draft, ingredientID: nil)
            written.insert(.diary("entries", entry.day))
        }
        return true
    }
}

// MARK: Totals

extension MemoryDiary {
    /// The totals of days with entries, newest first.
    func totals(in days: ClosedRange<FoodDay>, limit: Int) -> [DailyTotal] {
        let byDay = Dictionary(grouping: entries(in: days, limit: .max), by: \.day)
        return byDay.keys.sorted(by: >).prefix(max(0, limit)).map { day in
            let entries = byDay[day] ?? []
            return DailyTotal(
                day: day,
                entryCount: entries.count,
                nutrients: entries.reduce(.zero) { $0 + $1.nutrients },
                averageConfidence: Self.confidence(of: entries)
            )
        }
    }

    func summary(in days: ClosedRange<FoodDay>) -> NutritionalSummary {
        let entries = entries(in: days, limit: .max)
        return NutritionalSummary(
            days: days,
            loggedDays: Set(entries.map(\.day)).count,
            entryCount: entries.count,
            nutrients: entries.reduce(.zero) { $0 + $1.nutrients },
            averageConfidence: Self.confidence(of: entries)
        )
    }

    func consumption(in days: ClosedRange<FoodDay>, limit: Int) -> [IngredientConsumption] {
        var byIngredient: [Ingredient.ID: [FoodEntry]] = [:]
        for entry in entries(in: days, limit: .max) {
            if let id = entry.ingredientID { byIngredient[id, default: []].append(entry) }
        }
        let lines = byIngredient.map { id, entries in
            IngredientConsumption(
                id: id,
                name: ingredient(id)?.name ?? "",
                entryCount: entries.count,
                grams: Double(entries.reduce(0) { $0 + Nutrients.rounded($1.grams) }) / 1000,
                kilocalories: entries.reduce(.zero) { $0 + $1.nutrients }.kilocalories
            )
        }
        let sorted = lines.sorted { left, right in
            (right.entryCount, right.grams, left.id) < (left.entryCount, left.grams, right.id)
        }
        return Array(sorted.prefix(max(0, limit)))
    }

    private static func confidence(of entries: [FoodEntry]) -> Double? {
        DailyTotal.average(thousandths: entries.reduce(0) { $0 + Nutrients.rounded($1.confidence) }, of: entries.count)
    }
}

extension [FoodEntry] {
    /// The first index at which a condition holds, if it holds for all following elements, too.
    fileprivate func partitioningIndex(where condition: (FoodEntry) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
