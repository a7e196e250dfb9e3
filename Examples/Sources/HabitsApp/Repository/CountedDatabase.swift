package import QueryKitSQLite

/// A database that counts the statements that read it. All reads of the repository pass through it, whichever way causes them. Writes are
/// not counted, nor are the statements of QueryKit itself, such as those that look for the commits of other processes.
package struct CountedDatabase: Sendable {
    private actor Counter {
        private(set) var count = 0

        func increase() { count += 1 }
    }

    package let database: SQLiteDatabase
    private let counter = Counter()

    /// The number of statements since the counter was created.
    package var readCount: Int { get async { await counter.count } }

    package init(_ database: SQLiteDatabase) { self.database = database }

    /// Runs one statement that reads, and counts it.
    func rows<Row: SQLiteRowDecodable & Sendable>(_ type: Row.Type, _ sql: SQL) async throws -> [Row] {
        await counter.increase()
        return try await database.read { db in try db.rows(type, sql) }
    }
}
