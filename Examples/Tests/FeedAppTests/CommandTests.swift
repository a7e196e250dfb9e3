import Foundation
import Testing

/// The program in a separate process.
@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
    @Test func `the demo prints the screen after each step`() throws {
        let demo = try feed("demo")
        #expect(demo.code == 0)
        #expect(demo.complaint == "")
        #expect(demo.output == Self.screens)
    }

    @Test func `help is printed to standard output`() throws {
        let help = try feed("--help")
        #expect(help.code == 0)
        #expect(help.output.hasPrefix("Shows a feed over HTTP"))
    }

    @Test(arguments: [
        (["fly"], "There is no command \"fly\". See: feed --help"),
        (["demo", "fast"], "demo takes no arguments. Write: feed demo"),
    ])
    func `an invalid call prints one error sentence and ends with code 2`(words: [String], sentence: String) throws {
        #expect(try feed(words) == (2, "", "feed: \(sentence)\n"))
    }

    private static let screens = """
        # The app starts.
        Log in to see your feed.

        # Ada logs in.
        The feed of Ada
          Cleo: New bakery in town
          Cleo: Who lends me a ladder?
          Cleo: Snow at last
          (more)

        # She scrolls to the end.
        The feed of Ada
          Cleo: New bakery in town
          Cleo: Who lends me a ladder?
          Cleo: Snow at last
          Cleo: The bridge is open
          Cleo: Hello

        # She likes the first post, and writes one.
        The feed of Ada
          Ada: Back in town
          Cleo: New bakery in town  ♥ 1
          Cleo: Who lends me a ladder?
          Cleo: Snow at last
          Cleo: The bridge is open
          Cleo: Hello

        # Her train enters a tunnel, and she keeps writing.
        The feed of Ada
          Ada: A long one
          Ada: In a tunnel
          Ada: Back in town
          Cleo: New bakery in town  ♥ 1
          Cleo: Who lends me a ladder?
          Cleo: Snow at last
          Cleo: The bridge is open
          Cleo: Hello
          No network.
          Waiting to be sent: 2

        # She logs out: her posts wait in the journal.
        Log in to see your feed.

        # Ben logs in on the same device, and doesn't see her waiting posts.
        The feed of Ben
          Ada: Back in town
          Cleo: New bakery in town  ♡ 1
          Cleo: Who lends me a ladder?
          (more)

        # Ada is back: her posts are sent, in their order.
        The feed of Ada
          Ada: A long one
          Ada: In a tunnel
          Ada: Back in town
          (more)

        # She pulls to refresh. The server is busy, so that takes three attempts.
        The feed of Ada
          Cleo: Good night
          Ada: A long one
          Ada: In a tunnel
          (more)

        The last requests: GET /posts 503, GET /posts 503, GET /posts 200

        """

    private func feed(_ words: String...) throws -> (code: Int32, output: String, complaint: String) { try feed(words) }

    private func feed(_ words: [String]) throws -> (code: Int32, output: String, complaint: String) {
        let process = Process()
        let program: URL = try #require(Self.program)
        process.executableURL = program
        process.arguments = words
        let (output, complaint) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, complaint)
        try process.run()
        let texts = try [output, complaint].map { String(decoding: try $0.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) }
        process.waitUntilExit()
        return (process.terminationStatus, texts[0], texts[1])
    }

    /// The program is built beside the tests.
    private static let program: URL? = {
        let own = CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let bundles = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        return (own + bundles).map { $0.appending(path: "feed") }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }()
}
