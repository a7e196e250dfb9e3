import Foundation

#if Postgres
package import QueryKitPostgres
#endif

/// The server that `make test-postgres` has started.
package enum PostgresServer {
    /// Its connection string, with the database `postgres`; `nil` if the tests run without a server.
    package static let url = ProcessInfo.processInfo.environment["QUERYKIT_POSTGRES"]

    #if Postgres
    /// The connection string of another database of the server.
    package static func url(of database: String) -> String {
        (url ?? "").replacing("/postgres?", with: "/\(database)?")
    }

    /// Calls a closure with the connection string of a new, empty database, and drops it afterwards.
    @discardableResult
    package static func withDatabase<Result>(
        options: String = "",
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await psql("CREATE DATABASE \(name) \(options)")
        do {
            let result = try await body(url(of: name))
            try await psql("DROP DATABASE \(name) WITH (FORCE)")
            return result
        } catch {
            try? await psql("DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }

    /// Calls a closure with a new, empty database that is open, then closes and drops it.
    @discardableResult
    package static func withOpenDatabase<Result>(
        migrations: PostgresMigrations = [],
        configuration: PostgresDatabase.Configuration = PostgresDatabase.Configuration(),
        _ body: (PostgresDatabase) async throws -> Result
    ) async throws -> Result {
        try await withDatabase { url in
            let database = try await PostgresDatabase.open(url, migrations: migrations, configuration: configuration)
            do {
                let result = try await body(database)
                await database.close()
                return result
            } catch {
                await database.close()
                throw error
            }
        }
    }

    /// Runs statements that can't run in a transaction, on a connection of its own.
    package static func psql(_ statement: String, at url: String? = url) async throws {
        try await PostgresDatabase.runOutsideTransaction(statement, at: url ?? "")
    }
    #endif
}
