#if Postgres
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server that belongs to one test, which may crash it. `Tools/postgres-server.sh` does the work.
package struct PrivateServer: Sendable {
    /// A failed call of the script.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The connection string of the database `postgres`.
    package let url: String
    private let folder: String

    /// Calls a closure with a new server, and removes the server afterwards.
    package static func with<Result>(_ body: (PrivateServer) async throws -> Result) async throws -> Result {
        let folder = try await script("create").trimmingCharacters(in: .whitespacesAndNewlines)
        let server = PrivateServer(url: "postgresql:///postgres?host=\(folder)&user=postgres", folder: folder)
        do {
            let result = try await body(server)
            try await script("remove", folder)
            return result
        } catch {
            _ = try? await script("remove", folder)
            throw error
        }
    }

    /// Stops the server as a crash does: all connections are lost, and nothing is saved that isn't yet.
    package func crash() async throws { try await Self.script("stop", folder) }

    /// Starts the server after a crash, and waits until it accepts connections.
    package func start() async throws { try await Self.script("start", folder) }

    /// Makes the server offer TLS from its next start on.
    package func encrypt() async throws { try await Self.script("encrypt", folder) }

    /// Runs the script, and returns what it prints.
    ///
    /// Foundation's `Process` would wait for all descendants of the script, which include the server.
    @discardableResult
    private static func script(_ words: String...) async throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let script = root.appending(path: "Tools/postgres-server.sh").path(percentEncoded: false)
        let command = (["exec '\(script)'"] + words).joined(separator: " ")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try output(of: command) }) }
        }
    }

    private static func output(of command: String) throws -> String {
        guard let stream = popen(command, "r") else { throw Failure(description: "\(command) can't be started.") }
        var text: [UInt8] = []
        while case let byte = fgetc(stream), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        let status = pclose(stream)
        guard status == 0 else { throw Failure(description: "\(command) failed with \(status).") }
        return String(decoding: text, as: UTF8.self)
    }
}
#endif
