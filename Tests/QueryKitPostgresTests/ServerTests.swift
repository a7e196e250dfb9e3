#if Postgres
import PostgresTestSupport
import Testing

@Suite(.enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"))
struct ServerTests {
    @Test func `the server has a connection string`() {
        #expect(PostgresServer.url?.hasPrefix("postgresql://") == true)
    }
}
#endif
