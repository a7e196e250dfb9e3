import Foundation
import Testing

/// A folder with a diary for one test, and the built program, which runs there in a separate process.
final class CommandFolder {
    struct Outcome {
        let code: Int32
        let output: String
        let remarks: String
    }

    let url = FileManager.default.temporaryDirectory.appending(path: "food-diary-tests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// - Parameters:
    ///   - isRead: Whether the output is read; if not, it goes to a pipe whose read end is closed.
    ///   - device: A device that receives the output instead.
    ///   - answer: The input typed at a terminal, which also receives the remarks. If `nil`, there is no terminal.
    func run(
        _ words: [String],
        environment: [String: String] = [:],
        isRead: Bool = true,
        to device: String? = nil,
        answer: String? = nil
    ) throws -> Outcome {
        let process = try process(words, environment: environment)
        let files = try ["output", "remarks"].map { name in
            let file = url.appending(path: "\(name)-\(UUID().uuidString)")
            try Data().write(to: file)
            return (file, try FileHandle(forWritingTo: file))
        }
        (process.standardOutput, process.standardError) = (files[0].1, files[1].1)
        let pipe = Pipe()
        if !isRead { process.standardOutput = pipe }
        if let device { process.standardOutput = FileHandle(forWritingAtPath: device) }
        let terminal = try answer.map { try Terminal(typed: $0) }
        if let terminal { (process.standardInput, process.standardError) = (terminal.near, terminal.near) }
        try process.run()
        try pipe.fileHandleForReading.close()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0.0, encoding: .utf8) }
        for file in files { try FileManager.default.removeItem(at: file.0) }
        return Outcome(code: process.terminationStatus, output: texts[0], remarks: texts[1])
    }

    func run(_ words: String..., environment: [String: String] = [:], isRead: Bool = true) throws -> Outcome {
        try run(words, environment: environment, isRead: isRead)
    }

    /// The program with its arguments and without input, not yet started.
    func process(_ words: [String], environment: [String: String]) throws -> Process {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = words
        process.currentDirectoryURL = url
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key != "COLUMNS" }
        let own = ["FOOD_DIARY_DB": url.appending(path: "diary.db").path, "TMPDIR": url.path]
        process.environment = inherited.merging(own) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "food-diary") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()

    /// A terminal with typed input.
    final class Terminal {
        /// The end that the process uses.
        let near: FileHandle
        private let far: FileHandle

        /// - Parameter typed: What the user has typed already. Default: nothing.
        init(typed: String = "") throws {
            var (far, near): (Int32, Int32) = (-1, -1)
            var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&far, &near, nil, nil, &size) == 0)
            self.far = FileHandle(fileDescriptor: far, closeOnDealloc: true)
            self.near = FileHandle(fileDescriptor: near, closeOnDealloc: true)
            try self.far.write(contentsOf: Data(typed.utf8))
        }

        /// Waits until the process has written a text, or until all processes have closed the terminal; returns whether the text came.
        func read(until text: String?) -> Bool {
            var seen: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while text.map({ !String(decoding: seen, as: UTF8.self).contains($0) }) ?? true {
                let count = Foundation.read(far.fileDescriptor, &bytes, bytes.count)
                // The system reports a closed terminal as an error.
                guard count > 0 else { return false }
                seen += bytes[..<count]
            }
            return true
        }
    }
}
