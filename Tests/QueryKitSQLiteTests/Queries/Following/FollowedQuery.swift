import QueryKit
import TestSupport

@testable import QueryKitSQLite

/// An observed query over one statement, whose runs are recorded.
struct FollowedQuery {
    private struct Values: QueryRequest {
        let database: SQLiteDatabase
        let sql: SQL
        let runs: Recorder<String>

        static func == (left: Values, right: Values) -> Bool { left.sql.text == right.sql.text }

        func hash(into hasher: inout Hasher) { hasher.combine(sql.text) }

        func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
            do {
                let values = try await database.read { [sql] db in try db.values(String.self, sql) }
                runs.note(values.joined(separator: ","))
                return values
            } catch {
                runs.note("error")
                throw error
            }
        }
    }

    let client = QueryClient(configuration: .isolated)
    let runs = Recorder<String>()
    let subscription: QuerySubscription

    init(_ database: SQLiteDatabase, _ sql: SQL) async {
        client.connect(to: database)
        let request = Values(database: database, sql: sql, runs: runs).retry(limit: 0)
        subscription = client.store(for: request).subscribe(with: QueryEventHandler { _, _ in })
        await client.settled()
    }

    func runs(after write: () async throws -> Void) async throws -> [String] {
        try await write()
        await client.settled()
        return runs.all
    }
}
