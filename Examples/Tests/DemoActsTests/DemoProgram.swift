import Foundation
import Testing

/// The program in a separate process, without a terminal.
enum DemoProgram {
    struct Outcome: Equatable {
        let code: Int32
        let output: String
        let complaint: String
    }

    static func run(_ words: [String], columns: Int = 80) throws -> Outcome {
        let process = Process()
        let program: URL = try #require(file)
        process.executableURL = program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["COLUMNS": "\(columns)"]) { $1 }
        let (output, complaint) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, complaint)
        try process.run()
        let texts = try [output, complaint].map { String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) }
        process.waitUntilExit()
        return Outcome(code: process.terminationStatus, output: texts[0], complaint: texts[1])
    }

    /// The program is built beside the tests.
    static let file: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "querykit-demo") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
