import Foundation
import Testing

/// A folder for one test, and the built program, which runs there in a separate process.
final class TestFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "preferences-tests-\(UUID().uuidString)")
    var file: URL { url.appending(path: "preferences.sqlite") }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.appending(path: path).path)[.posixPermissions] as? Int
    }

    func run(_ words: String..., typed: String = "") throws -> (code: Int32, output: String, errors: String) {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = words
        process.currentDirectoryURL = url
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(typed.utf8))
        try input.fileHandleForWriting.close()
        let texts = [output, errors].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
        process.waitUntilExit()
        return (process.terminationStatus, texts[0], texts[1])
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "preferences") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
