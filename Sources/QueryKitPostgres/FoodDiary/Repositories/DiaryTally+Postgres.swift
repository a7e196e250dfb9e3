#if Postgres
import FoodDiaryKit
import QueryKitPostgres

extension DiaryTally {
    /// The statements that write the changes, for one round trip.
    ///
    /// Rows are written in the order of their keys, so that concurrent transactions can't deadlock.
    var statements: [SQL] { dailyTotals + hourlyCounts + usageCounts }

    private var dailyTotals: [SQL] {
        var (days, entries, nutrients, confidences) = (ColumnValues(), ColumnValues(), NutrientColumns(), ColumnValues())
        let changed = self.days.filter { !$0.value.isEven }.sorted { $0.key < $1.key }
        if changed.isEmpty { return [] }
        for (day, change) in changed {
            days.append(day.stored)
            entries.append(change.entryCount)
            nutrients.append(change.nutrients)
            confidences.append(change.confidence)
        }
        let reduced = ColumnValues(changed.filter { $0.value.entryCount < 0 }.map(\.key.stored))
        let upsert: SQL = """
            INSERT INTO daily_totals AS t (day, entry_count, kilocalories, protein, carbohydrates, fat, fiber, sugar, salt, confidence)
            SELECT * FROM unnest(\(days.array("date[]")), \(entries.array("bigint[]")), \(nutrients.arrays), \(confidences.array("bigint[]")))
            ON CONFLICT (day) DO UPDATE SET
                entry_count = t.entry_count + excluded.entry_count, kilocalories = t.kilocalories + excluded.kilocalories,
                protein = t.protein + excluded.protein, carbohydrates = t.carbohydrates + excluded.carbohydrates, fat = t.fat + excluded.fat,
                fiber = t.fiber + excluded.fiber, sugar = t.sugar + excluded.sugar, salt = t.salt + excluded.salt,
                confidence = t.confidence + excluded.confidence
            """
        if !changed.contains(where: { $0.value.entryCount < 0 }) { return [upsert] }
        return [upsert, "DELETE FROM daily_totals WHERE day = ANY(\(reduced.array("date[]"))) AND entry_count <= 0"]
    }

    private var hourlyCounts: [SQL] {
        var (days, hours, entries) = (ColumnValues(), ColumnValues(), ColumnValues())
        var reduced = ColumnValues()
        var (isChanged, isReduced) = (false, false)
        for (day, change) in self.days.sorted(by: { $0.key < $1.key }) {
            let changed = change.hours.filter { $0.value != 0 }.sorted { $0.key < $1.key }
            for (hour, count) in changed {
                days.append(day.stored)
                hours.append(Int64(hour))
                entries.append(count)
                isChanged = true
            }
            if changed.contains(where: { $0.value < 0 }) {
                reduced.append(day.stored)
                isReduced = true
            }
        }
        guard isChanged else { return [] }
        let upsert: SQL = """
            INSERT INTO hourly_counts AS h (day, hour, entry_count)
            SELECT * FROM unnest(\(days.array("date[]")), \(hours.array("smallint[]")), \(entries.array("bigint[]")))
            ON CONFLICT (day, hour) DO UPDATE SET entry_count = h.entry_count + excluded.entry_count
            """
        return isReduced
            ? [upsert, "DELETE FROM hourly_counts WHERE day = ANY(\(reduced.array("date[]"))) AND entry_count <= 0"] : [upsert]
    }

    private var usageCounts: [SQL] {
        let changed = usage.filter { $0.value != 0 }.sorted { $0.key < $1.key }
        if changed.isEmpty { return [] }
        let ids = ColumnValues(changed.map(\.key.rawValue)).array("bigint[]")
        let changes = ColumnValues(changed.map { Int64($0.value) }).array("bigint[]")
        let update: SQL = """
            UPDATE ingredients AS i SET usage_count = greatest(0, i.usage_count + u.change)
            FROM unnest(\(ids), \(changes)) AS u (id, change) WHERE i.id = u.id
            """
        // An UPDATE locks its rows in any order.
        return changed.count == 1 ? [update] : ["SELECT 1 FROM ingredients WHERE id = ANY(\(ids)) ORDER BY id FOR NO KEY UPDATE", update]
    }
}
#endif
