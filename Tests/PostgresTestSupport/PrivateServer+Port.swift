#if Postgres
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension PrivateServer {
    /// A server that also listens on a port of this machine, where it wants a password.
    package struct Port: Sendable {
        package let number: Int
        /// The connection string of the server's Unix socket, whose name contains the port.
        package let url: String

        /// A connection string for the port.
        package func url(user: String, password: String, database: String = "postgres", options: String = "") -> String {
            "postgresql://\(user):\(password)@127.0.0.1:\(number)/\(database)\(options)"
        }
    }

    /// Restarts the server so that it listens on a port.
    package func listen(offersTLS: Bool = false) async throws -> Port {
        if offersTLS { try await encrypt() }
        let number = Int.random(in: 20_000...32_000)
        let rules = "(VALUES ('local all all trust'), ('host all all 127.0.0.1/32 scram-sha-256'))"
        try await PostgresServer.psql("ALTER SYSTEM SET listen_addresses = '127.0.0.1'", at: url)
        try await PostgresServer.psql("ALTER SYSTEM SET port = \(number)", at: url)
        try await PostgresServer.psql(
            """
            DO $$ BEGIN
                EXECUTE format('COPY \(rules.replacing("'", with: "''")) TO %L', current_setting('hba_file'));
            END $$
            """,
            at: url
        )
        try await crash()
        try await start()
        return Port(number: number, url: "\(url)&port=\(number)")
    }
}

/// Stops a server process as if it hung, or lets it continue.
package func setHanging(_ hangs: Bool, _ process: Int32) { kill(process, hangs ? SIGSTOP : SIGCONT) }
#endif
