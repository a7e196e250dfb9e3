import Foundation

/// A program that is run beside this one, and what became of it.
enum OtherProcess {
    struct Outcome: Sendable {
        let identifier: Int32
        let status: Int32
        let text: String
    }

    static func run(_ executable: URL, _ arguments: [String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        // Whoever is cancelled waits for the end all the same, which is near, so that nothing is written after they have left.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        // It writes a line or two, which fit into a pipe.
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Outcome(identifier: process.processIdentifier, status: status, text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
