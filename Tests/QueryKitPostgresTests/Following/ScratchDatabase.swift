#if Postgres
import Foundation
import PostgresTestSupport

@testable import QueryKitPostgres

/// An empty database for one test.
struct ScratchDatabase: Sendable {
    /// The options of a database whose texts may have bytes of any encoding.
    static let anyEncoding = "ENCODING SQL_ASCII LOCALE 'C' TEMPLATE template0"

    let url: String
    let name: String

    /// - Parameter options: Options of CREATE DATABASE.
    static func make(_ options: String = "") async throws -> ScratchDatabase {
        guard let server = PostgresServer.url else { throw PostgresError(.misuse, "There is no server.") }
        let name = "t" + UUID().uuidString.lowercased().replacing("-", with: "")
        let connection = try await Connection.open(Endpoint(server), within: .seconds(30))
        defer { connection.close() }
        try await connection.run("CREATE DATABASE \(name) \(options)")
        return ScratchDatabase(url: server + (server.contains("?") ? "&" : "?") + "dbname=\(name)", name: name)
    }

    /// Opens a connection that isn't part of a pool, as another program would.
    func connect(as role: String? = nil) async throws -> Connection {
        var endpoint = try Endpoint(url)
        if let role { endpoint.setOption("user", to: role) }
        return try await Connection.open(endpoint, within: .seconds(30))
    }

    /// Runs statements on a connection of their own, each in its own transaction unless they say otherwise.
    func run(_ script: String...) async throws {
        let connection = try await connect()
        defer { connection.close() }
        for text in script { try await connection.runScript(text) }
    }
}

extension Connection {
    /// The columns of all rows of a result, as text.
    func texts(_ text: String) async throws -> [String] {
        var rows: [String] = []
        let result = try await run(text)
        for index in 0..<result.count {
            let row = PostgresRow(result, index)
            var columns: [String] = []
            for column in 0..<row.count { columns.append(try (row[column] as String?) ?? "-") }
            rows.append(columns.joined(separator: " "))
        }
        return rows
    }

    /// Ends the connections of all listeners of this database.
    func terminateListeners() async throws {
        try await run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND query LIKE '%pg_control_system%' AND pid <> pg_backend_pid()
            """
        )
    }
}
#endif
