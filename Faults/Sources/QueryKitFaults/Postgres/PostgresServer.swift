#if Postgres
import Foundation

/// A private server that can be crashed. `Tools/postgres-server.sh` does the work.
struct PostgresServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let url: String
    private let folder: String

    init() throws {
        folder = try Self.script("create")
        url = "postgresql:///postgres?host=\(folder)&user=postgres"
    }

    /// Ends all processes of the server at once.
    func crash() throws { _ = try Self.script("stop", folder) }

    func start() throws { _ = try Self.script("start", folder) }

    func remove() { _ = try? Self.script("remove", folder) }

    private static func script(_ words: String...) throws -> String {
        // From Faults/Sources/QueryKitFaults/Postgres.
        let root = (0..<5).reduce(URL(filePath: #filePath)) { place, _ in place.deletingLastPathComponent() }
        let process = Process()
        process.executableURL = root.appending(path: "Tools/postgres-server.sh")
        process.arguments = words
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "postgres-server.sh \(words.joined(separator: " ")) failed with \(process.terminationStatus)")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
#endif
