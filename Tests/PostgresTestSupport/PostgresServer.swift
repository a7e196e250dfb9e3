import Foundation

/// The server that `make test-postgres` has started.
package enum PostgresServer {
    /// Its connection string, without a database; `nil` if the tests run without a server.
    package static let url = ProcessInfo.processInfo.environment["QUERYKIT_POSTGRES"]
}
