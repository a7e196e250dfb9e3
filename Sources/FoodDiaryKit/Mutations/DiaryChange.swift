import QueryKit

extension LogFood: SourceBackedMutation {}
extension EditEntry: SourceBackedMutation {}
extension DeleteEntry: SourceBackedMutation {}

/// The change that a mutation of entries makes to lists and totals, shown until the diary has committed it.
struct DiaryChange: Sendable {
    /// Changes are written in the order in which they were made.
    static let scope = "diary"

    let removed: FoodEntry?
    let added: FoodEntry?

    init(removing removed: FoodEntry? = nil, adding added: FoodEntry? = nil) {
        self.removed = removed
        self.added = added
    }

    /// Adds the change as a layer over today's requests and those of the affected days.
    func show(in layers: inout QueryLayers) {
        let today = layers.context.today
        for day in Set([removed?.day, added?.day].compactMap(\.self)) {
            layers.update(EntriesOfDays(days: day...day)) { apply(to: &$0, on: day) }
            layers.update(TotalOfDay(day: day)) { apply(to: &$0, on: day) }
            guard day == today else { continue }
            layers.update(TodayEntries()) { [context = layers.context] entries in
                // Midnight may have passed since the change was made; then this is the list of another day.
                if (entries.first?.day ?? context.today) == day { apply(to: &entries, on: day) }
            }
            layers.update(CurrentTotal()) { apply(to: &$0, on: day) }
        }
    }

    private func apply(to entries: inout [FoodEntry], on day: FoodDay) {
        if let removed { entries.removeAll { $0.id == removed.id } }
        guard let added, added.day == day, !entries.contains(where: { $0.id == added.id }) else { return }
        let place = entries.firstIndex { $0.isOlder(than: added) } ?? entries.endIndex
        entries.insert(added, at: place)
    }

    private func apply(to total: inout DailyTotal, on day: FoodDay) {
        // Midnight may have passed since the change was made; then this is the total of another day.
        guard total.day == day else { return }
        if let removed, removed.day == day { total = total.counting(removed, -1) }
        if let added, added.day == day { total = total.counting(added, 1) }
    }
}

extension FoodEntry {
    /// Whether this entry is below another one in a list. An entry without a key counts as logged last.
    fileprivate func isOlder(than other: FoodEntry) -> Bool {
        moment.milliseconds == other.moment.milliseconds && other.isProvisional ? true : position < other.position
    }
}

extension DailyTotal {
    fileprivate func counting(_ entry: FoodEntry, _ sign: Int) -> DailyTotal {
        let count = max(0, entryCount + sign)
        if count == 0 { return .empty(day) }
        let confidence = (averageConfidence ?? 0) * Double(entryCount) + Double(sign) * entry.confidence
        return DailyTotal(
            day: day,
            entryCount: count,
            nutrients: sign > 0 ? nutrients + entry.nutrients : nutrients - entry.nutrients,
            averageConfidence: min(max(confidence / Double(count), 0), 1)
        )
    }
}
