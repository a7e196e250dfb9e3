#if Postgres
@testable import QueryKitPostgres
import Testing

struct ConnectionFailureTests {
    private static let server = #"connection to server at "db" (10.0.0.1), port 5432 failed: "#

    @Test(
        arguments: [
            ("FATAL:  28P01: password authentication failed for user \"bob\" LOCATION:  auth_failed, auth.c:331", .authentication),
            ("FATAL:  28P01: Passwort-Authentifizierung für Benutzer »bob« fehlgeschlagen", .authentication),
            ("FATAL:  28000: role \"bob\" does not exist", .authentication),
            ("FATAL:  28000: no pg_hba.conf entry for host \"10.0.0.2\", user \"bob\", database \"diary\", no encryption", .authentication),
            ("fe_sendauth: no password supplied", .authentication),
            ("FATAL:  53300: too many connections for role \"bob\"", .unavailable),
            ("FATAL:  53300: too many connections for database \"diary\"", .unavailable),
            ("FATAL:  sorry, too many clients already", .unavailable),
            ("FATAL:  too many connections for role \"bob\"", .unavailable),
            ("FATAL:  57P03: the database system is starting up", .unavailable),
            ("FATAL:  3D000: database \"diary\" does not exist", .unknownDatabase),
            ("FATAL:  22023: invalid value for parameter \"statement_timeout\": \"x\"", .invalidValue),
            ("server does not support SSL, but SSL was required", .tls),
            ("SSL error: certificate verify failed", .tls),
            ("root certificate file \"/root/.postgresql/root.crt\" does not exist Either provide the file …", .tls),
            ("SSL SYSCALL error: Connection reset by peer", .unavailable),
            ("SSL SYSCALL error: EOF detected", .unavailable),
            ("SSL connection has been closed unexpectedly", .unavailable),
            ("server closed the connection unexpectedly This probably means …", .unavailable),
            ("Connection refused Is the server running on that host and accepting TCP/IP connections?", .unavailable),
            ("timeout expired", .timeout),
        ] as [(String, PostgresError.Code)]
    )
    func `failures of connecting are told apart`(_ text: String, _ code: PostgresError.Code) {
        #expect(ConnectionFailure(Self.server + text).code == code)
        // After the failure of another host.
        #expect(ConnectionFailure(Self.server + "SSL error: certificate verify failed " + Self.server + text).code == code)
    }

    @Test(arguments: ["atlsql01", "ssl-proxy", "authentication-db", "certificate"])
    func `the name of a host says nothing about the failure`(_ host: String) {
        let refused = #"connection to server at "\#(host)" (10.0.0.1), port 5432 failed: Connection refused"#
        #expect(ConnectionFailure(refused).code == .unavailable)
        let unknown = #"could not translate host name "\#(host)" to address: Name or service not known"#
        #expect(ConnectionFailure(unknown).code == .unavailable)
    }

    @Test func `the server's code is taken out of the text`() {
        let failure = ConnectionFailure(
            Self.server + "FATAL:  3D000: database \"x\" does not exist LOCATION:  InitPostgres, postinit.c:885"
        )
        #expect(failure.sqlState == "3D000")
        #expect(failure.text == Self.server + "FATAL:  database \"x\" does not exist")
    }

    @Test func `an outdated statement is recognized in any language`() {
        let german = "gecachter Plan darf den Ergebnistyp nicht ändern"
        #expect(PostgresError.code(ofState: "0A000", german, "RevalidateCachedQuery") == .outdatedStatement)
        #expect(PostgresError.code(ofState: "0A000", german, "transformLockingClause") == .server)
    }
}
#endif
