#if Postgres
import Foundation

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

    /// Runs the script, and returns what it prints.
    @discardableResult
    private static func script(_ words: String...) async throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appending(path: "Tools/postgres-server.sh")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        // A single short line, so the pipe was never full.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard status == 0 else { throw Failure(description: "postgres-server.sh \(words.joined(separator: " ")) failed with \(status).") }
        return text
    }
}
#endif
