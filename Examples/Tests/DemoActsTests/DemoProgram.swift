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

    /// A terminal of 120 columns for a process.
    final class Terminal {
        /// The end that the process uses.
        let near: FileHandle
        private let far: FileHandle

        init() throws {
            var (far, near): (Int32, Int32) = (-1, -1)
            var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
            try #require(openpty(&far, &near, nil, nil, &size) == 0)
            self.far = FileHandle(fileDescriptor: far, closeOnDealloc: true)
            self.near = FileHandle(fileDescriptor: near, closeOnDealloc: true)
        }

        func type(_ text: String) throws { try far.write(contentsOf: Data(text.utf8)) }

        /// Waits until the process has written a text, or until all processes have closed the
        /// terminal; returns whether the text came.
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
