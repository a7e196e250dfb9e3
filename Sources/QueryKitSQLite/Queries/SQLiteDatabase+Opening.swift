public import Foundation

// In this folder, because requests that read the database are noticed from the beginning, also before a client is connected to it.

extension SQLiteDatabase {
    /// Opens a database, makes it if it is not there, and brings it up to date.
    ///
    /// - Parameters:
    ///   - location: Where it lies.
    ///   - migrations: What makes its schema, in order. Each is carried out once.
    ///   - configuration: How it is opened.
    /// - Throws: ``SQLiteError``, which mostly names the file; what a closure of a migration throws, as it is. Damage is recovered from, unless
    ///   the configuration says otherwise; see ``report``.
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
    /// Opens a file that another process has made. It is neither migrated nor recovered from damage: that is up to who writes.
    ///
    /// - Parameters:
    ///   - url: The file, which must be there.
    ///   - migrations: Those that the reader knows, to refuse a file that is older or newer; empty to take it as it is.
    ///   - configuration: How it is opened.
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
