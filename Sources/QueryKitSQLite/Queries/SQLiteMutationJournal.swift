public import Foundation
public import QueryKit

/// A journal in a file of its own: calls of durable mutations survive the end of the process, and loss of power too.
///
/// ```swift
/// context.mutationJournal = try await SQLiteMutationJournal.open(.file(supportFolder.appending(path: "mutations.sqlite")))
/// ```
///
/// Nothing is ever dropped but what is over. A damaged file is set aside and what can be read is saved, see ``report``; one that a newer version of
/// the library has made is refused with ``SQLiteError/Code/newerSchema``. Open a file once, and in one process: two clients with the same journal
/// would both make its calls. Where no new file can be made for a damaged one, calls are no longer taken on: they would not outlast the process.
public final class SQLiteMutationJournal: MutationJournal {
    /// A call that was set aside.
    public struct SetAside: Hashable, Sendable {
        /// The call. Of one that can not be read, what could be made of it; its bytes are in the file as they were.
        public let entry: MutationJournalEntry
        /// Why this version of the app can not make it.
        public let reason: String
    }

    let database: SQLiteDatabase

    private init(_ database: SQLiteDatabase) { self.database = database }

    /// Opens a journal, and makes its file if it is not there.
    ///
    /// - Parameter location: Where it lies; the folder must be there.
    public static func open(_ location: SQLiteDatabase.Location) async throws -> SQLiteMutationJournal {
        var configuration = SQLiteDatabase.Configuration()
        configuration.durability = .powerLoss
        configuration.readerCount = 1
        configuration.cacheKibibytes = 256
        configuration.tellsOtherProcesses = false
        return SQLiteMutationJournal(try await SQLiteDatabase.open(location, migrations: migrations, configuration: configuration))
    }

    /// How the file was found when it was opened, or when it was recovered last.
    public var report: SQLiteReport { database.report }

    /// Ends the journal. Calls that are not over stay in the file.
    public func close() async { await database.close() }

    // MARK: Calls

    /// Writes a call down, after those before it.
    ///
    /// - Throws: ``SQLiteError/Code/cannotOpen`` where the file is damaged, and no new one can be made.
    public func append(_ entry: MutationJournalEntry) async throws {
        try await perform { database in
            try checkLasts()
            try await database.write { db in
                try db.execute("INSERT INTO calls (\(Self.columns)) VALUES (\(Self.values(of: entry)))")
            }
        }
        do {
            // The file may have been given up meanwhile.
            try checkLasts()
        } catch {
            try? await remove(entry.id)
            throw error
        }
    }

    private func checkLasts() throws(SQLiteError) {
        guard case .inMemory(let reason) = database.report.outcome else { return }
        throw SQLiteError(
            .cannotOpen,
            "The journal is damaged, and no new one can be made, so the call would not outlast the process: \(reason)"
        )
    }

    public func remove(_ id: UUID) async throws {
        try await perform { database in
            try await database.write { db in try db.execute("DELETE FROM calls WHERE id = \(id)") }
        }
    }

    public func entries() async throws -> [MutationJournalEntry] {
        try await perform { database in
            let calls = try await database.read { db in
                try db.map("SELECT \(Self.columns), position FROM calls ORDER BY position") { try StoredCall($0) }
            }
            let unreadable = calls.compactMap(\.flaw)
            if !unreadable.isEmpty {
                try await database.write { db in for flaw in unreadable { try Self.setAside(flaw, db) } }
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

    /// The calls that were set aside, with the reasons, in the order in which that happened.
    public var setAside: [SetAside] {
        get async throws {
            try await perform { database in
                try await database.read { db in
                    try db.map("SELECT \(Self.columns), reason FROM set_aside ORDER BY position") { row in
                        SetAside(entry: try StoredCall.anyEntry(of: row), reason: try row[7])
                    }
                }
            }
        }
    }

    // MARK: The file

    /// Works with the database; where that finds damage, once more after it was repaired.
    @discardableResult
    private func perform<Result>(_ work: (SQLiteDatabase) async throws -> Result) async throws -> Result {
        do {
            return try await work(database)
        } catch let error as SQLiteError where error.isDamage {
            guard await database.repair(after: error) else { throw error }
            return try await work(database)
        }
    }

    /// Those set aside have a table of their own, so that nothing that is done to calls can reach them.
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
        )
    ]

    private static let columns: SQL = "id, name, version, session, date, request, arguments"

    private static func values(of entry: MutationJournalEntry) -> SQL {
        let date = entry.date.timeIntervalSinceReferenceDate
        return
            "\(entry.id), \(entry.name), \(entry.version), \(entry.session), \(date), \(entry.request), \(entry.arguments)"
    }

    /// Moves a call that can not be read out of the way of the others, with its bytes. A cast changes the type of a value, and not its bytes.
    private static func setAside(_ flaw: StoredCall.Flaw, _ db: SQLiteWriteTransaction) throws {
        try db.execute(
            """
            INSERT INTO set_aside (reason, \(columns))
            SELECT \(flaw.reason), ifnull(CAST(id AS BLOB), x''), ifnull(CAST(name AS TEXT), ''), ifnull(CAST(version AS INTEGER), 0),
                CAST(session AS TEXT), ifnull(CAST(date AS REAL), 0), ifnull(CAST(request AS BLOB), x''), ifnull(CAST(arguments AS BLOB), x'')
            FROM calls WHERE position = \(flaw.position)
            """
        )
        try db.execute("DELETE FROM calls WHERE position = \(flaw.position)")
    }
}
