import DemoActs
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The live demo with its inspector, in a separate process.
@Suite(.timeLimit(.minutes(5)), .serialized)
struct InspectTests {
    private struct Session: Decodable {
        struct Hello: Decodable {
            struct Client: Decodable { let name: String }

            let clients: [Client]
        }

        let hello: Hello
    }

    /// The names of the clients on the page.
    private func clients(_ address: URL) async throws -> [String] {
        let token = try #require(address.query()?.split(separator: "=").last.map(String.init))
        var request = URLRequest(url: try #require(URL(string: "/api/export", relativeTo: address)))
        request.setValue(token, forHTTPHeaderField: "X-QueryKit-Token")
        let (file, _) = try await URLSession.shared.data(for: request)
        return try JSONDecoder().decode(Session.self, from: file).hello.clients.map(\.name)
    }

    @Test func `--inspect serves a page that shows the client of each act, until the demo ends`() async throws {
        let terminal = try DemoProgram.Terminal()
        let (process, remarks) = (Process(), Pipe())
        let program: URL = try #require(DemoProgram.file)
        process.executableURL = program
        process.arguments = ["--inspect"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
        process.standardInput = terminal.near
        process.standardOutput = terminal.near
        process.standardError = remarks
        try process.run()
        try terminal.near.close()
        try remarks.fileHandleForWriting.close()
        #expect(terminal.read(until: Act.all[0].title))

        let line = try #require(String(data: remarks.fileHandleForReading.availableData, encoding: .utf8))
        #expect(line.hasPrefix("QueryKit inspector: http://127.0.0.1:"))
        let address = try #require(line.split(whereSeparator: \.isWhitespace).last.flatMap { URL(string: String($0)) })
        let (page, response) = try await URLSession.shared.data(from: address)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(String(decoding: page, as: UTF8.self).contains("<title>QueryKit Inspector</title>"))
        #expect(try await clients(address).first == "client")

        // The arrow to the right plays the next act, unless the first one is over already.
        try terminal.type("\u{1B}[C")
        #expect(terminal.read(until: Act.all[1].title))
        #expect(try await clients(address).prefix(2) == ["client", "2. \(Act.all[1].title)"])

        try terminal.type("q")
        _ = terminal.read(until: nil)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        await #expect(throws: URLError.self) { try await URLSession.shared.data(from: address) }
    }
}
