import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The live screen with its inspector, in a separate process.
@Suite(.timeLimit(.minutes(5)), .serialized) struct InspectTests {
    @Test func `--inspect serves the page at the address on standard error until the screen ends`() async throws {
        let folder = try CommandFolder()
        try #require(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
        let terminal = try CommandFolder.Terminal()
        let process = try folder.process(["watch", "--inspect"], environment: ["TERM": "xterm"])
        let remarks = Pipe()
        (process.standardInput, process.standardOutput, process.standardError) = (terminal.near, terminal.near, remarks)
        try process.run()
        try terminal.near.close()
        try remarks.fileHandleForWriting.close()
        #expect(terminal.read(until: "Inspector: http://127.0.0.1:"))

        let line = try #require(String(data: remarks.fileHandleForReading.availableData, encoding: .utf8))
        #expect(line.hasPrefix("QueryKit inspector: http://127.0.0.1:"))
        let address = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { URL(string: String($0)) })
        let (page, response) = try await URLSession.shared.data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: page, as: UTF8.self).contains("<title>QueryKit Inspector</title>"))

        #expect(kill(process.processIdentifier, SIGTERM) == 0)
        _ = terminal.read(until: nil)
        process.waitUntilExit()
        #expect(process.terminationStatus == 128 + SIGTERM)
        await #expect(throws: URLError.self) { try await URLSession.shared.data(from: address) }
    }
}
