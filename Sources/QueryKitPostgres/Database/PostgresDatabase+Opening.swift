#if Postgres
extension PostgresDatabase {
    /// Connects to a database and applies the missing migrations.
    ///
    /// Instances that start at once migrate one after the other, so each migration is applied once.
    ///
    /// - Parameters:
    ///   - url: A connection string as PostgreSQL's client library takes it, such as
    ///     `postgresql://user:password@host:5432/database?sslmode=verify-full`.
    ///   - migrations: The migrations, in order. Default: none.
    ///   - configuration: The settings.
    /// - Throws: ``PostgresError`` if the server can't be reached or refuses the connection, or if a migration fails.
    public static func open(
        _ url: String,
        migrations: PostgresMigrations = [],
        configuration: Configuration = Configuration()
    ) async throws -> PostgresDatabase {
        PostgresDatabase(try await DatabaseCore.open(url, migrations: migrations, configuration: configuration))
    }

    /// Runs statements outside a transaction, such as CREATE DATABASE, on a connection of its own.
    package static func runOutsideTransaction(_ statements: String, at url: String) async throws {
        let connection = try await Connection.open(try Endpoint(url), within: .seconds(10))
        defer { connection.close() }
        try await connection.runScript(statements)
    }
}
#endif
