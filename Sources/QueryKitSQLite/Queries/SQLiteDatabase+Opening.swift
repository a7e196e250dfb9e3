public import Foundation

// This extension is in this folder because reads of requests are recorded from the start, even before a client is connected.

extension SQLiteDatabase {
    /// Opens a database. Creates the file if it doesn't exist, and applies the migrations that it lacks.
    ///
    /// - Parameters:
    ///   - location: Where the database is stored.
    ///   - migrations: The migrations that create its schema, in order. Each is applied once.
    ///   - configuration: The settings of the database.
    /// - Throws: ``SQLiteError``, whose message usually names the file; an error that a closure of a migration throws, unchanged. A damaged
    ///   file is recovered unless the configuration disables it; see ``report``.
    public static func open(
        _ location: Location,
        migrations: SQLiteMigrations = [],
        configuration: Configuration = Configuration()
    ) async throws -> SQLiteDatabase {
        let core = try await DatabaseCore.open(location, migrations, configuration)
        ClientLinks.noteReads(of: core)
        return SQLiteDatabase(core)
    }
}

extension SQLiteReader {
    /// Opens a file that another process has created. The reader neither migrates nor recovers it: the process that writes does that.
    ///
    /// - Parameters:
    ///   - url: The file, which must exist.
    ///   - migrations: The migrations that the reader knows: a file with fewer or more is refused. Empty to accept every schema.
    ///   - configuration: The settings of the database.
    public static func open(
        _ url: URL,
        migrations: SQLiteMigrations = [],
        configuration: SQLiteDatabase.Configuration = SQLiteDatabase.Configuration()
    ) async throws -> SQLiteReader {
        let core = try await DatabaseCore.openReader(url, migrations, configuration)
        ClientLinks.noteReads(of: core)
        return SQLiteReader(core, isOwner: true)
    }
}
