#if Postgres
public import FoodDiaryKit
public import Foundation
public import QueryKitPostgres

/// Food entries in a database with the tables of ``FoodDiaryPostgresSchema``.
public struct PostgresFoodEntryRepository: FoodEntryRepository {
    private let database: PostgresDatabase

    /// Creates a repository for the entries of a database.
    public init(_ database: PostgresDatabase) { self.database = database }

    public func entries(on day: FoodDay, limit: Int) async throws -> [FoodEntry] {
        try await database.read { db in
            try await db.rows(
                FoodEntry.self,
                """
                SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.day = \(partition: day.stored, of: "entries")::date
                ORDER BY e.logged_at DESC, e.id DESC LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func entries(in days: ClosedRange<FoodDay>, below position: FoodEntry.Position?, limit: Int) async throws -> [FoodEntry] {
        let upper = min(days.upperBound, position?.day ?? days.upperBound)
        guard days.lowerBound <= upper else { return [] }
        let days = days.lowerBound...upper
        let below: SQL? = position.map { position in
            """
            AND (e.day, e.logged_at, e.id) < (\(position.day.stored)::date, \(StoredMoment.moment("\(position.milliseconds)")), \(position.id.rawValue))
            """
        }
        return try await database.read { db in
            try await db.rows(
                FoodEntry.self,
                """
                SELECT \(FoodEntry.columns) FROM entries AS e WHERE \(days.contains("e.day")) \(below) \(days.claim(of: "entries"))
                ORDER BY e.day DESC, e.logged_at DESC, e.id DESC LIMIT \(max(0, limit))
                """
            )
        }
    }

    public func recentEntries(limit: Int) async throws -> [FoodEntry] {
        try await entries(in: FoodDay.range, below: nil, limit: limit)
    }

    public func entry(_ id: FoodEntry.ID) async throws -> FoodEntry? {
        try await database.read { db in
            try await db.row(FoodEntry.self, "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.id = \(id.rawValue)")
        }
    }

    public func add(_ drafts: [FoodEntry.Draft], key: UUID?) async throws -> [FoodEntry] {
        let drafts = try drafts.map { try $0.validated() }
        return try await database.write { db in
            if let key, let known = try await db.entries(loggedBy: key) { return known }
            var lookup = IngredientLookup()
            let entries = try await db.entries(of: drafts, &lookup)
            guard !entries.isEmpty else { return [] }
            var tally = DiaryTally()
            for entry in entries { tally.add(entry) }
            var statements = [EntryColumns(entries).insertion] + tally.statements
            if let key {
                let ids = ColumnValues(entries.map(\.id.rawValue)).array("bigint[]")
                statements.append(
                    """
                    INSERT INTO logged_calls (call, position, entry)
                    SELECT \(key), r.place - 1, r.entry FROM unnest(\(ids)) WITH ORDINALITY AS r (entry, place)
                    """
                )
            }
            try await db.execute(each: statements)
            return entries
        }
    }

    public func update(_ seen: FoodEntry, to draft: FoodEntry.Draft) async throws -> FoodEntry {
        let edit = try EntryEdit(of: seen, to: draft)
        return try await database.write { db in
            let statement: SQL = "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.id = \(seen.id.rawValue) FOR UPDATE"
            guard let old = try await db.row(FoodEntry.self, statement) else { throw FoodDiaryError.noEntry(seen.id) }
            var lookup = IngredientLookup()
            try await lookup.load([draft.food, seen.draft.food], in: db)
            let entry = try edit.applied(to: old) { try lookup.id(of: $0) }
            guard entry != old else { return old }
            var tally = DiaryTally()
            tally.remove(old)
            tally.add(entry)
            try await db.execute(each: [EntryColumns([entry]).update] + tally.statements)
            return entry
        }
    }

    public func delete(_ ids: [FoodEntry.ID]) async throws -> [FoodEntry] {
        if ids.isEmpty { return [] }
        return try await database.write { db in
            let wanted = ColumnValues(ids.map(\.rawValue)).array("bigint[]")
            let rows = try await db.rows(
                FoodEntry.self,
                "DELETE FROM entries AS e WHERE e.id = ANY(\(wanted)) RETURNING \(FoodEntry.columns)"
            )
            var byID = Dictionary(rows.map { ($0.id, $0) }) { $1 }
            var tally = DiaryTally()
            for entry in rows { tally.remove(entry) }
            if !rows.isEmpty { try await db.execute(each: tally.statements) }
            return ids.compactMap { byID.removeValue(forKey: $0) }
        }
    }

    public func importEntries(
        leavingOutKnown: Bool,
        _ next: @escaping @Sendable () throws -> [FoodEntry.Draft]?
    ) async throws -> Int {
        try await ImportPull.run(next) { pull in
            try await database.write { db in
                try pull.begin(after: "Another write conflicted with the import")
                // If two imports run at once, the second compares its entries with those of the first.
                if leavingOutKnown { try await db.lock(.imports) }
                var tally = DiaryTally()
                var lookup = IngredientLookup()
                var known = KnownEntries()
                // Only entries from before this import count as known.
                let last = leavingOutKnown ? try await db.value(Int64.self, "SELECT coalesce(max(id), -1) FROM entries") : nil
                var count = 0
                while let drafts = try await pull.batch() {
                    var drafts = try drafts.map { try $0.validated() }
                    if let last {
                        let before = try await db.entries(on: Set(drafts.map(\.moment.day)), upTo: last)
                        drafts = drafts.filter { !known.take($0) { before[$0] ?? [] } }
                    }
                    let entries = try await db.entries(of: drafts, &lookup)
                    guard !entries.isEmpty else { continue }
                    try await db.execute(EntryColumns(entries).insertion)
                    for entry in entries { tally.add(entry) }
                    count += entries.count
                }
                try await db.execute(each: tally.statements)
                try pull.check()
                return count
            }
        }
    }
}

extension PostgresReadTransaction {
    /// The entries of some days with keys up to a number, by day.
    fileprivate func entries(on days: Set<FoodDay>, upTo last: Int64) async throws -> [FoodDay: [FoodEntry]] {
        let wanted = ColumnValues(days.map(\.stored)).array("date[]")
        let statement: SQL = "SELECT \(FoodEntry.columns) FROM entries AS e WHERE e.day = ANY(\(wanted)) AND e.id <= \(last)"
        return Dictionary(grouping: try await rows(FoodEntry.self, statement), by: \.day)
    }
}

extension PostgresWriteTransaction {
    /// What only one transaction at a time may do.
    enum Exclusive {
        case imports
        case call(UUID)
    }

    /// Waits until no other transaction has the lock, and keeps it until the end of this one.
    func lock(_ exclusive: Exclusive) async throws {
        let name =
            switch exclusive {
            case .imports: "food diary: import"
            case .call(let key): "food diary: \(key.uuidString)"
            }
        _ = try await value(Int64.self, "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended(\(name)::text, 0))")
    }

    /// The entries that a call has logged and that still exist; `nil` if the call hasn't logged any. A call that is made twice at the same
    /// time waits here for the first one.
    fileprivate func entries(loggedBy key: UUID) async throws -> [FoodEntry]? {
        try await lock(.call(key))
        guard try await value(Int64.self, "SELECT 1::bigint FROM logged_calls WHERE call = \(key) LIMIT 1") != nil else { return nil }
        return try await rows(
            FoodEntry.self,
            """
            SELECT \(FoodEntry.columns) FROM logged_calls AS c JOIN entries AS e ON e.id = c.entry WHERE c.call = \(key) ORDER BY c.position
            """
        )
    }

    /// New entries for drafts, with keys of their own, to be inserted.
    fileprivate func entries(of drafts: [FoodEntry.Draft], _ lookup: inout IngredientLookup) async throws -> [FoodEntry] {
        if drafts.isEmpty { return [] }
        try await lookup.load(drafts.lazy.map(\.food), in: self)
        let ingredients = try drafts.map { try lookup.id(of: $0.food) }
        let ids = try await values(Int64.self, "SELECT nextval('entries_id_seq') FROM generate_series(1, \(drafts.count)::bigint)")
        return zip(ids, zip(drafts, ingredients)).map { id, draft in
            FoodEntry(id: FoodEntry.ID(rawValue: id), draft.0, ingredientID: draft.1)
        }
    }
}

extension ImportPull {
    /// Fetches the next batch on a thread that may block.
    func batch() async throws -> [Element]? {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try self() }) }
        }
    }
}
#endif
