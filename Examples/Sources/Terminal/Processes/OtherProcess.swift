package import Foundation

/// Runs another program and returns its outcome.
package enum OtherProcess {
    package struct Outcome: Sendable {
        package let identifier: Int32
        package let status: Int32
        package let text: String
    }

    package static func run(_ executable: URL, _ arguments: [String]) async throws -> Outcome {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        // Waits for the end of the process even after cancellation. The end is near, and nothing must be written after this function
        // returns.
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        // The process writes a line or two, which fit in a pipe.
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Outcome(identifier: process.processIdentifier, status: status, text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
