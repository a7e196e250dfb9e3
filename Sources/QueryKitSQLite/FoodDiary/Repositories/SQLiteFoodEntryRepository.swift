public import FoodDiaryKit
public import Foundation
public import QueryKitSQLite

/// Food entries in a database with the tables of ``FoodDiarySchema``.
public struct SQLiteFoodEntryRepository: FoodEntryRepository {
    private let database: SQLiteDatabase

    /// Creates a repository for the entries of a database.
    public init(_ database: SQLiteDatabase) { self.database = database }

    public func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        try await database.read { db in
            try db.rows(
                FoodEntry.self,
                """
                SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.day = \(partition: day, of: "entries")
                ORDER BY e.logged_at DESC, e.id DESC LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        let upper = min(days.upperBound, position?.day ?? days.upperBound)
        guard days.lowerBound <= upper else { return [] }
        let isLong = limit > 1_000 && days.spansMonths
        let below: SQL? = position.map { "AND (e.day, e.logged_at, e.id) < (\($0.day), \($0.milliseconds), \($0.id))" }
        return try await database.read(isLong: isLong) { db in
            let statement: SQL = """
                SELECT \(FoodEntry.columns) FROM entries AS e
                WHERE e.day BETWEEN \(days.lowerBound) AND \(upper) \(below) \((days.lowerBound...upper).claim(of: "entries"))
                ORDER BY e.day DESC, e.logged_at DESC, e.id DESC LIMIT \(max(0, limit))
                """
            // Within one day, names are rarely repeated.
            guard days.lowerBound < upper else { return try db.rows(FoodEntry.self, statement) }
            var texts = SharedTexts()
            return try db.map(statement) { try FoodEntry(row: $0, sharing: &texts) }
        }
    }

    public func recentEntries(limit: Int) async throws -> [FoodEntry] {
        try await entries(in: FoodDay.range, below: nil, limit: limit)
    }

    public func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? {
        try await database.read { db in try db.entry(id) }
    }

    public func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] {
        let drafts = try drafts.map { try $0.validated() }
        return try await database.write { db in
            if let key, let known = try db.entries(loggedBy: key) { return known }
            let entries = try db.log(drafts)
            if let key {
                for (position, entry) in entries.enumerated() {
                    try db.execute("INSERT INTO logged_calls (call, position, entry) VALUES (\(key), \(position), \(entry.id))")
                }
            }
            return entries
        }
    }

    public func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        let edit = try EntryEdit(of: seen, to: draft)
        return try await database.write { db in
            guard let old = try db.entry(seen.id) else { throw FoodDiaryError.noEntry(seen.id) }
            var lookup = IngredientLookup()
            let entry = try edit.applied(to: old) { try lookup.id(of: $0, in: db) }
            guard entry != old else { return old }
            try db.update(entry)
            var tally = DiaryTally()
            tally.remove(old)
            tally.add(entry)
            try tally.apply(in: db)
            return entry
        }
    }

    public func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] {
        try await database.write { db in
            var tally = DiaryTally()
            var deleted: [FoodEntry] = []
            for id in ids {
                guard let entry = try db.entry(id) else { continue }
                try db.execute("DELETE FROM entries WHERE id = \(id)")
                tally.remove(entry)
                deleted.append(entry)
            }
            try tally.apply(in: db)
            return deleted
        }
    }

    public func importEntries(
        leavingOutKnown: Bool,
        _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?
    ) async throws -> Int {
        try await ImportPull.run(next) { pull in
            try await database.write { db in
                try db.stayOnLane()
                try pull.begin()
                var tally = DiaryTally()
                var lookup = IngredientLookup()
                var known = KnownEntries()
                // Only entries from before this import count as known.
                let last = leavingOutKnown ? try db.value(FoodEntry.ID.self, "SELECT max(id) FROM entries") : nil
                var count = 0
                let insertion = try db.prepare(FoodEntry.insertion)
                while let drafts = try pull() {
                    for draft in drafts {
                        let draft = try draft.validated()
                        if let last, try known.take(draft, of: { try db.entries(on: $0, upTo: last) }) { continue }
                        tally.add(try db.insert(draft, try lookup.id(of: draft.food, in: db), with: insertion))
                        count += 1
                    }
                }
                try tally.apply(in: db)
                return count
            }
        }
    }
}

extension SQLiteReadTransaction {
    fileprivate func entry(_ id: FoodEntry.ID) throws -> FoodEntry? {
        try row(FoodEntry.self, "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.id = \(id)")
    }

    fileprivate func entries(on day: FoodDay, upTo id: FoodEntry.ID) throws -> [FoodEntry] {
        try rows(FoodEntry.self, "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.day = \(day) AND e.id <= \(id)")
    }

    /// The entries that a call has logged and that still exist; `nil` if the call hasn't logged any.
    fileprivate func entries(loggedBy key: UUID) throws -> [FoodEntry]? {
        guard try value(Int.self, "SELECT 1 FROM logged_calls WHERE call = \(key) LIMIT 1") != nil else { return nil }
        return try rows(
            FoodEntry.self,
            """
            SELECT \(FoodEntry.columns) FROM logged_calls AS c JOIN entries AS e ON e.id = c.entry WHERE c.call = \(key) ORDER BY c.position
            """
        )
    }
}

extension SQLiteWriteTransaction {
    fileprivate func log(_ drafts: [FoodEntry.Draft]) throws -> [FoodEntry] {
        var tally = DiaryTally()
        var lookup = IngredientLookup()
        let insertion = try prepare(FoodEntry.insertion)
        var entries: [FoodEntry] = []
        for draft in drafts {
            let entry = try insert(draft, try lookup.id(of: draft.food, in: self), with: insertion)
            tally.add(entry)
            entries.append(entry)
        }
        try tally.apply(in: self)
        return entries
    }

    /// Overwrites all columns of an existing entry.
    func update(_ entry: FoodEntry) throws {
        let (moment, amounts) = (entry.moment, entry.nutrients.thousandths)
        try execute(
            """
            UPDATE entries SET
                day = \(moment.day), logged_at = \(moment.milliseconds), hour = \(moment.hour), time_zone = \(moment.timeZone),
                ingredient = \(entry.ingredientID), name = \(entry.name), grams = \(Nutrients.rounded(entry.grams)),
                kilocalories = \(amounts.kilocalories), protein = \(amounts.protein), carbohydrates = \(amounts.carbohydrates),
                fat = \(amounts.fat), fiber = \(amounts.fiber), sugar = \(amounts.sugar), salt = \(amounts.salt),
                confidence = \(Nutrients.rounded(entry.confidence))
            WHERE id = \(entry.id)
            """
        )
    }
}
