#if Postgres
import QueryKitPostgres

/// The error that a closure throws; `nil` if it throws none, or another kind of error.
func postgresError(_ body: () async throws -> Void) async -> PostgresError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
#endif
