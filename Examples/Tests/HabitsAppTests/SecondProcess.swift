import Foundation
import HabitsApp
import Testing

/// The built program in a separate process, in a folder of its own.
final class SecondProcess: Sendable {
    struct Outcome: Equatable {
        let code: Int32
        let output: String
        let complaint: String
    }

    let folder = FileManager.default.temporaryDirectory.appending(path: "habits-tests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ name: String = "habits") -> URL { folder.appending(path: "\(name).sqlite") }

    /// Runs `habits` and waits until it ends.
    func habits(_ words: String...) throws -> Outcome { try habits(words) }

    func habits(_ words: [String]) throws -> Outcome {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["HABITS_FILE": file().path]) { $1 }
        let (output, complaint) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, complaint)
        try process.run()
        let texts = try [output, complaint].map { String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) }
        process.waitUntilExit()
        return Outcome(code: process.terminationStatus, output: texts[0], complaint: texts[1])
    }

    /// What the widget does in a session.
    func markHabitOfWidget(in file: URL) throws {
        let outcome = try habits("--file", file.path, "mark", Session.habitOfWidget, "\(Session.week.lastDay)")
        #expect(outcome == Outcome(code: 0, output: "Done.\n", complaint: ""))
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "habits") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
