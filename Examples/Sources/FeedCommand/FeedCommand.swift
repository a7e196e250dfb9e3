import Foundation

/// Demonstrates the feed app.
@main
enum FeedCommand {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        switch words {
        case [], ["--help"], ["-h"], ["help"]: print(help)
        case ["demo"]:
            do {
                try await Demo().run()
            } catch {
                end(1, "\(error)")
            }
        case _ where words[0] == "demo": end(2, "demo takes no arguments. Write: feed demo")
        default: end(2, "There is no command \"\(words[0])\". See: feed --help")
        }
    }

    private static func end(_ code: Int32, _ complaint: String) -> Never {
        FileHandle.standardError.write(Data("feed: \(complaint)\n".utf8))
        exit(code)
    }

    private static let help = """
        Shows a feed over HTTP: pages, changes that wait for the network, retries, logout.

          feed demo      starts a server on this machine, and prints the screen after each step

        Exit codes: 0 done, 1 failed, 2 invalid arguments.
        """
}
