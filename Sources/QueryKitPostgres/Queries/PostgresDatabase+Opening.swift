#if Postgres
// This extension is in this folder because reads of requests are recorded from the start, even before a client is connected.

extension PostgresDatabase {
    /// Connects to a database and applies the missing migrations.
    ///
    /// Instances that start at the same time migrate one after the other, so each migration is applied once.
    ///
    /// Unless ``Configuration/isFollowed`` is off, a log of changes and the triggers that write it are installed in the schema `querykit`.
    /// This needs two privileges: to create a schema in the database, and to create triggers on the tables.
    ///
    /// The role must own the schema and everything in it, because the functions of the schema run with its rights. All instances use the
    /// same role.
    ///
    /// - Parameters:
    ///   - url: A connection string in the format of PostgreSQL's client library, such as
    ///     `postgresql://user:password@host:5432/database?sslmode=verify-full`.
    ///   - migrations: The migrations, in order. Default: none.
    ///   - configuration: The settings.
    /// - Throws: ``PostgresError`` if PostgreSQL can't be reached or refuses the connection, or if a migration fails. Also if requests
    ///   can't follow the database, because PostgreSQL is older than version 14 or its setting `track_counts` is off; if the schema
    ///   `querykit` isn't entirely the role's own; and if a publication includes it.
    public static func open(
        _ url: String,
        migrations: PostgresMigrations = [],
        configuration: Configuration = Configuration()
    ) async throws -> PostgresDatabase {
        let core = try await DatabaseCore.open(url, migrations: migrations, configuration: configuration)
        if configuration.isFollowed { try await DatabaseFollowing.begin(core) }
        return PostgresDatabase(core)
    }

    /// Runs statements outside a transaction, such as CREATE DATABASE, on a connection of its own.
    package static func runOutsideTransaction(_ statements: String, at url: String) async throws {
        let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
        defer { connection.close() }
        try await connection.runScript(statements)
    }
}
#endif
