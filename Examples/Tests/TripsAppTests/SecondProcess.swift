import Foundation
import Testing

/// The built program in a separate process, with its own file.
final class SecondProcess {
    struct Outcome: Equatable {
        let code: Int32
        let output: String
        let complaint: String
    }

    let file: URL
    private let folder = FileManager.default.temporaryDirectory.appending(path: "trips-tests-\(UUID().uuidString)")

    init() throws {
        file = folder.appending(path: "trips.sqlite")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Runs `trips` and waits until it ends.
    func trips(_ words: String...) throws -> Outcome { try trips(words) }

    func trips(_ words: [String]) throws -> Outcome {
        let process = try process(words)
        process.standardInput = FileHandle.nullDevice
        let (output, complaint) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, complaint)
        try process.run()
        process.waitUntilExit()
        return Outcome(code: process.terminationStatus, output: try text(of: output), complaint: try text(of: complaint))
    }

    /// Starts the screen, which runs until ``Screen/end()``.
    func watch() throws -> Screen { try Screen(process(["watch"])) }

    /// A process that shows the screen.
    struct Screen {
        private let process: Process
        private let input = Pipe()
        private let output: AsyncStream<String>

        init(_ process: Process) throws {
            self.process = process
            let pipe = Pipe()
            let (output, chunks) = AsyncStream.makeStream(of: String.self)
            self.output = output
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty {
                    handle.readabilityHandler = nil
                    chunks.finish()
                } else {
                    chunks.yield(String(decoding: data, as: UTF8.self))
                }
            }
            (process.standardInput, process.standardOutput) = (input, pipe)
            try process.run()
        }

        /// Waits until a line was printed. Returns `false` if the process ends first.
        func printed(_ line: String) async -> Bool {
            var text = ""
            for await chunk in output {
                text += chunk
                if text.contains(line + "\n") { return true }
            }
            return false
        }

        /// Types a line.
        func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

        /// Ends the input, and returns the exit code.
        func end() throws -> Int32 {
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private func process(_ words: [String]) throws -> Process {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["TRIPS_FILE": file.path]) { $1 }
        return process
    }

    /// The complete output: the process has ended, and its output fits in the buffer of a pipe.
    private func text(of pipe: Pipe) throws -> String {
        String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "trips") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
