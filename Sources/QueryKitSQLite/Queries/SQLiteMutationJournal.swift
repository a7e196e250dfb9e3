public import Foundation
public import QueryKit

/// A mutation journal in its own file: calls of durable mutations persist after the process ends and after a power loss.
///
/// ```swift
/// context.mutationJournal = try await SQLiteMutationJournal.open(
///     .file(supportFolder.appending(path: "mutations.sqlite"))
/// )
/// ```
///
/// Several processes may open one file, such as an app and its widget in their group container. Each call is made by one of the processes,
/// and the calls of a scope are made in their order; see `SharedMutationJournal`. Let each process resume the same mutations, in case
/// another process ends before its calls have ended.
///
/// A call is removed from the file when it has ended. A damaged file is set aside and its readable calls are saved, see ``report``; a file
/// that a newer version of the library has written is refused with ``SQLiteError/Code/newerSchema``. If no new file can replace a damaged
/// one, new calls are refused, because they would be lost when the process ends.
public final class SQLiteMutationJournal: SharedMutationJournal {
    /// A call in the journal that this version of the app can't make.
    public struct SetAside: Hashable, Sendable {
        /// The call. If it can't be read, this entry holds the readable parts; the file keeps the original bytes.
        public let entry: MutationJournalEntry
        /// Why this version of the app can't make the call.
        public let reason: String
    }

    let database: SQLiteDatabase

    private init(_ database: SQLiteDatabase) { self.database = database }

    /// Opens a journal. Creates the file if it doesn't exist.
    ///
    /// - Parameter location: Where the journal is stored. The folder must exist.
    public static func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteMutationJournal {
        var configuration = SQLiteDatabase.Configuration()
        configuration.durability = .powerLoss
        configuration.readerCount = 1
        configuration.cacheKibibytes = 256
        configuration.tellsOtherProcesses = false
        configuration.isFollowed = false
        return SQLiteMutationJournal(try await SQLiteDatabase.open(location, migrations: migrations, configuration: configuration))
    }

    /// The state of the file when it was opened, or when it was last recovered.
    public var report: SQLiteReport { database.report }

    /// Closes the journal. Calls that have not ended stay in the file.
    public func close() async { await database.close() }

    // MARK: Calls

    /// Writes a call after the existing ones.
    ///
    /// - Throws: ``SQLiteError/Code/cannotOpen`` if the file is damaged and no new file can be created.
    public func append(_ entry: MutationJournalEntry) async throws { try await append(entry, nil) }

    private func append(_ entry: MutationJournalEntry, _ lease: MutationLease?) async throws {
        try await perform { database in
            try checkDurability()
            try await database.write { db in
                try db.execute(
                    "INSERT INTO calls (\(Self.columns), \(Self.lease)) VALUES (\(Self.values(of: entry)), \(Self.values(of: lease)))"
                )
            }
        }
        do {
            // The database may have moved to memory since the first check.
            try checkDurability()
        } catch {
            try? await remove(entry.id)
            throw error
        }
    }

    private func checkDurability() throws(SQLiteError) {
        guard case .inMemory(let reason) = database.report.outcome else { return }
        throw SQLiteError(
            .cannotOpen,
            "The journal is damaged, and no new file can be created, so the call would be lost when the process ends: \(reason) Open the journal again once that is solved."
        )
    }

    public func remove(_ id: UUID) async throws {
        try await perform { database in
            try await database.write { db in try db.execute("DELETE FROM calls WHERE id = \(id)") }
        }
    }

    public func clear() async throws {
        try await perform { database in
            try await database.write { db in try db.execute("DELETE FROM calls") }
        }
    }

    public func entries() async throws -> [MutationJournalEntry] {
        try await perform { database in
            let calls = try await database.read { db in
                try db.map("SELECT \(Self.columns), position FROM calls ORDER BY position") { try StoredCall($0) }
            }
            let unreadable = calls.compactMap(\.unreadableRow)
            if !unreadable.isEmpty {
                try await database.write { db in for row in unreadable { try Self.setAside(row, db) } }
            }
            return calls.compactMap(\.entry)
        }
    }

    public func setAside(_ id: UUID, because reason: String) async throws {
        try await perform { database in
            try await database.write { db in
                try db.execute(
                    """
                    INSERT INTO set_aside (reason, \(Self.columns))
                    SELECT \(reason), \(Self.columns) FROM calls WHERE id = \(id) ORDER BY position
                    """
                )
                try db.execute("DELETE FROM calls WHERE id = \(id)")
            }
        }
    }

    /// The calls that were set aside, with their reasons, in the order in which they were set aside.
    public var setAside: [SetAside] {
        get async throws {
            try await perform { database in
                try await database.read { db in
                    try db.map("SELECT \(Self.columns), reason FROM set_aside ORDER BY position") { row in
                        SetAside(entry: try StoredCall.anyEntry(of: row), reason: try row[8])
                    }
                }
            }
        }
    }

    // MARK: Leases

    public func append(_ entry: MutationJournalEntry, leasedTo lease: MutationLease) async throws { try await append(entry, lease) }

    public func claim(session: String?, for lease: MutationLease, at date: Date) async throws -> MutationClaim {
        // Sets aside calls that can't be read.
        _ = try await entries()
        return try await perform { database in
            try await database.write { db in
                let calls = try db.map(
                    "SELECT \(Self.columns), position, \(Self.lease) FROM calls WHERE session IS \(session) ORDER BY position"
                ) { row in try StoredCall(row).entry.map { (entry: $0, lease: MutationLease(row, from: 9)) } }
                let claim = MutationClaim(of: calls.compactMap { $0 }, for: lease, at: date)
                for entry in claim.entries { try Self.set(lease, of: entry.id, db) }
                return claim
            }
        }
    }

    public func turn(of id: UUID, for lease: MutationLease, at date: Date) async throws -> MutationTurn {
        try await perform { database in
            // Usually the asking client already holds the call, and there is nothing to write.
            let (turn, isHeld) = try await database.read { db in
                let held = try Self.held(id, db)
                // A lease of this client that has ended, or has less than half of its time left, is extended: otherwise another client
                // could take the call.
                let half = date.addingTimeInterval(lease.until.timeIntervalSince(date) / 2)
                let isHeld = held.flatMap(\.self).map { $0.holder == lease.holder && $0.until >= half } ?? false
                return (try Self.turn(of: id, held, for: lease, at: date, db), isHeld)
            }
            if isHeld || turn == .lost { return turn }
            return try await database.write { db in
                let turn = try Self.turn(of: id, Self.held(id, db), for: lease, at: date, db)
                if turn != .lost { try Self.set(lease, of: id, db) }
                return turn
            }
        }
    }

    public func extend(_ ids: [UUID], to lease: MutationLease) async throws { try await change(ids, heldBy: lease.holder, to: lease) }

    public func release(_ ids: [UUID], by holder: UUID) async throws { try await change(ids, heldBy: holder, to: nil) }

    private func change(_ ids: [UUID], heldBy holder: UUID, to lease: MutationLease?) async throws {
        try await perform { database in
            try await database.write { db in
                for id in ids where try Self.held(id, db)??.holder == holder { try Self.set(lease, of: id, db) }
            }
        }
    }

    private static func set(_ lease: MutationLease?, of id: UUID, _ db: SQLiteWriteTransaction) throws {
        try db.execute("UPDATE calls SET (\(Self.lease)) = (\(values(of: lease))) WHERE id = \(id)")
    }

    /// The lease of a call, which may be `nil`. The outer optional is `nil` if there is no such call.
    private static func held(_ id: UUID, _ db: SQLiteReadTransaction) throws -> MutationLease?? {
        try db.map("SELECT \(lease) FROM calls WHERE id = \(id)") { MutationLease($0, from: 0) }.first
    }

    private static func turn(
        of id: UUID,
        _ held: MutationLease??,
        for lease: MutationLease,
        at date: Date,
        _ db: SQLiteReadTransaction
    ) throws -> MutationTurn {
        let earlier = try db.map(
            """
            SELECT earlier.id, earlier.holder, earlier.process, earlier.until FROM calls JOIN calls AS earlier
            ON earlier.scope = calls.scope AND earlier.session IS calls.session AND earlier.position < calls.position
            WHERE calls.id = \(id) ORDER BY earlier.position
            """
        ) { row in (id: try row[0] as UUID, lease: MutationLease(row, from: 1)) }
        return MutationTurn(own: held.map { (id, $0) }, earlier: earlier, for: lease, at: date)
    }

    // MARK: The file

    /// Works with the database. If the work finds damage, it is performed once more after a repair; if the file was replaced, with the file
    /// that is there now.
    @discardableResult
    private func perform<Result>(_ work: (SQLiteDatabase) async throws -> Result) async throws -> Result {
        do {
            return try await work(database)
        } catch let error as SQLiteError where error.isDamage {
            guard await database.repair(after: error) else { throw error }
            return try await work(database)
        } catch let error as SQLiteError where error.code == .moved {
            try await database.reopen()
            return try await work(database)
        }
    }

    /// Calls that were set aside are in a separate table, so that no operation on calls affects them.
    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "querykit journal",
            """
            CREATE TABLE calls (
                position INTEGER PRIMARY KEY, id BLOB NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, session TEXT,
                date REAL NOT NULL, request BLOB NOT NULL, arguments BLOB NOT NULL
            ) STRICT;
            CREATE INDEX calls_id ON calls (id);
            CREATE TABLE set_aside (
                position INTEGER PRIMARY KEY, id BLOB NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, session TEXT,
                date REAL NOT NULL, request BLOB NOT NULL, arguments BLOB NOT NULL, reason TEXT NOT NULL
            ) STRICT;
            """
        ),
        SQLiteMigration(
            "querykit journal leases",
            """
            ALTER TABLE calls ADD COLUMN scope TEXT;
            ALTER TABLE calls ADD COLUMN holder BLOB;
            ALTER TABLE calls ADD COLUMN process TEXT;
            ALTER TABLE calls ADD COLUMN until REAL;
            ALTER TABLE set_aside ADD COLUMN scope TEXT;
            CREATE INDEX calls_scope ON calls (scope, position) WHERE scope IS NOT NULL;
            """
        ),
    ]

    private static let columns: SQL = "id, name, version, session, date, request, arguments, scope"
    private static let lease: SQL = "holder, process, until"

    private static func values(of entry: MutationJournalEntry) -> SQL {
        let date = entry.date.timeIntervalSinceReferenceDate
        return
            "\(entry.id), \(entry.name), \(entry.version), \(entry.session), \(date), \(entry.request), \(entry.arguments), \(entry.scope)"
    }

    private static func values(of lease: MutationLease?) -> SQL {
        "\(lease?.holder), \(lease?.process), \(lease?.until.timeIntervalSinceReferenceDate)"
    }

    /// Sets aside a call that can't be read, with its original bytes: a cast changes the type of a value, but not its bytes.
    private static func setAside(_ row: StoredCall.UnreadableRow, _ db: SQLiteWriteTransaction) throws {
        try db.execute(
            """
            INSERT INTO set_aside (reason, \(columns))
            SELECT \(row.reason), ifnull(CAST(id AS BLOB), x''), ifnull(CAST(name AS TEXT), ''), ifnull(CAST(version AS INTEGER), 0),
                CAST(session AS TEXT), ifnull(CAST(date AS REAL), 0), ifnull(CAST(request AS BLOB), x''), ifnull(CAST(arguments AS BLOB), x''),
                CAST(scope AS TEXT)
            FROM calls WHERE position = \(row.position)
            """
        )
        try db.execute("DELETE FROM calls WHERE position = \(row.position)")
    }
}
