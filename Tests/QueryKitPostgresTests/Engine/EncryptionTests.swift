#if Postgres
import PostgresTestSupport
@testable import QueryKitPostgres
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"), .timeLimit(.minutes(3)))
struct EncryptionTests {
    @Test func `rows of all sizes arrive through TLS, however slowly they are read`() async throws {
        try await PrivateServer.with { server in
            let port = try await server.listen(offersTLS: true)
            try await PostgresServer.psql("CREATE USER diary PASSWORD 'correct'", at: port.url)
            let database = try await PostgresDatabase.open(
                port.url(user: "diary", password: "correct", options: "?sslmode=require"),
                configuration: Self.configuration
            )
            let sizes = try await database.read { db in
                let isEncrypted = try await db.value(Bool.self, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                #expect(isEncrypted == true)
                let rows: SQL = "SELECT repeat('x', 100 + (g * 977) % 40000) FROM generate_series(1, 2000) g"
                var sizes: [Int] = []
                try await db.forEach(rows) { row in
                    let text: String = try row[0]
                    sizes.append(text.utf8.count)
                }
                let texts = try await db.values(String.self, rows)
                #expect(texts.map(\.utf8.count) == sizes)
                return sizes
            }
            #expect(sizes == (1...2_000).map { 100 + ($0 * 977) % 40_000 })
            await database.close()
        }
    }

    @Test func `a certificate that can't be verified has an error of its own`() async throws {
        try await PrivateServer.with { server in
            let port = try await server.listen(offersTLS: true)
            try await PostgresServer.psql("CREATE USER diary PASSWORD 'correct'", at: port.url)
            await #expect {
                try await PostgresDatabase.open(port.url(user: "diary", password: "correct", options: "?sslmode=verify-full"))
            } throws: {
                ($0 as? PostgresError)?.code == .tls
            }
        }
    }

    private static let configuration: PostgresDatabase.Configuration = {
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        return configuration
    }()
}
#endif
