import DemoActs
import Foundation
import Terminal
import Testing

/// The program without a terminal.
@Suite(.timeLimit(.minutes(1)))
struct CommandTests {
    @Test(arguments: [80, 120])
    func `the text of all acts is the same each time, has no escape codes, and fits the width`(columns: Int) throws {
        let demo = try DemoProgram.run([], columns: columns)
        #expect(demo.code == 0)
        #expect(demo.complaint == "")
        #expect(!demo.output.contains("\u{1B}"))
        let lines = demo.output.components(separatedBy: "\n")
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= columns && !$0.hasSuffix(" ") })
        for (index, act) in Act.all.enumerated() { #expect(lines.contains("\(index + 1)/\(Act.all.count)  \(act.title)")) }
        // The hashes of keys differ in each process.
        func withoutHashes(_ text: String) -> String { text.replacing(/‹[0-9a-f]{8}›/, with: "‹…›") }
        let again = try DemoProgram.run(["play", "--plain"], columns: columns)
        #expect(again.code == 0 && again.complaint == "")
        #expect(withoutHashes(again.output) == withoutHashes(demo.output))
    }

    @Test func `the code is beside the log in 120 columns, and above it in 80`() throws {
        let wide = try DemoProgram.run(["--act", "7"], columns: 120).output
        #expect(wide.contains("  let trips = Trip.all.retry(                              │ 0.0 s  Trips: – (loading)\n"))
        #expect(try DemoProgram.run(["--act", "7"]).output == Self.retry)
    }

    @Test func `help is printed to standard output`() throws {
        let help = try DemoProgram.run(["--help"])
        #expect(help.code == 0)
        #expect(help.output.hasPrefix("Shows what QueryKit does, in 9 acts"))
        #expect(try DemoProgram.run(["play", "--help"]).output.contains("--act N"))
        #expect(try DemoProgram.run(["play", "--help"]).output.contains("--inspect"))
    }

    @Test(arguments: [
        (["--plan"], "There is no option \"--plan\" of play; did you mean: querykit-demo play --plain"),
        (["ply"], "There is no command \"ply\"; did you mean: querykit-demo play"),
        (["--act", "12"], "--act takes a whole number from 1 to 9, not \"12\"; such as: querykit-demo play --act 3"),
        (["play", "--act"], "--act needs a whole number from 1 to 9, such as: querykit-demo play --act 3"),
        (["--inspect"], "--inspect needs a terminal, and no --plain; without it: querykit-demo play --plain"),
        (["--plain", "--inspect"], "--inspect needs a terminal, and no --plain; without it: querykit-demo play --plain"),
        (["pack"], "pack needs the file of a packing list, such as: querykit-demo pack packing.sqlite Raincoat"),
    ])
    func `an invalid call prints one error sentence and ends with code 2`(words: [String], sentence: String) throws {
        #expect(try DemoProgram.run(words) == .init(code: 2, output: "", complaint: "querykit-demo: \(sentence)\n"))
    }

    private static let retry = """

        7/9  Retry with backoff
        A failed attempt is repeated after an increasing delay. The run stays one run.

          // Without jitter, to show the same each time.
          let trips = Trip.all.retry(
              limit: 3,
              backoff: .exponential(
                  base: .seconds(1),
                  jitter: { 1 }
              )
          )
          stage.show("Trips", client.store(for: trips))
          try await stage.passes(.seconds(4.8), in: .seconds(2.4))

        0.0 s  — the server is busy for the next two requests
        0.0 s  Trips: – (loading)
        0.5 s  Trips: – (attempt 2 after: 503)
        2.0 s  Trips: – (attempt 3 after: 503)
        4.5 s  Trips: Oslo, Bergen, Rome
        requests 3   runs 1
        ✓ 3 attempts with delays of 1 s and 2 s, 1 run, and no error on the screen.

        """
}
