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
        // It is told once, however soon the process ends.
        let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        var status: Int32 = -1
        for await end in ends { status = end }
        // It writes a line or two, which fit into a pipe.
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return Outcome(identifier: process.processIdentifier, status: status, text: text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
