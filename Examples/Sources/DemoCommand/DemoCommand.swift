import DemoActs
import Foundation
import Terminal

/// Demonstrates QueryKit: acts with their code beside their live screens.
@main
enum DemoCommand {
    static func main() async {
        StandardStreams.fill()
        // A closed pipe becomes an error of the next write, after which the files are removed.
        signal(SIGPIPE, SIG_IGN)
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func run(_ words: [String]) async -> Int32 {
        do {
            switch try DemoGrammar.read(words) {
            case .help(let topic):
                let console = Console.system(.auto)
                try console.write(HelpText(DemoGrammar.grammar, width: console.width).lines(about: topic))
                return 0
            case .arguments(let arguments):
                return try await carryOut(arguments)
            }
        } catch {
            return report(error)
        }
    }

    private static func carryOut(_ arguments: Arguments) async throws -> Int32 {
        let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
        if let file = arguments.operand(0, as: DemoGrammar.file), let item = arguments.operand(1, as: DemoGrammar.item) {
            try await PackingList.add(item, to: URL(fileURLWithPath: file))
            return 0
        }
        let isPlain = arguments[DemoGrammar.plain]
        let console = Console.system(isPlain ? .never : .auto)
        let numbers = arguments[DemoGrammar.act].map { [$0] } ?? Array(1...Act.all.count)
        if !isPlain, console.drawsPictures, isatty(STDIN_FILENO) == 1 {
            let inspector = arguments[DemoGrammar.inspect] ? try await ActInspector { console.remark(Line($0)) } : nil
            return try await LivePlayer(numbers, executable: executable, inspector: inspector).play(on: console)
        }
        if arguments[DemoGrammar.inspect] {
            throw UsageError("--inspect needs a terminal, and no --plain; without it: querykit-demo play --plain")
        }
        return try await Interruption.cancelling {
            try await TextPlayer(console: console, executable: executable).play(numbers)
            return 0
        }
    }

    /// Writes an error, and returns the exit code: 1 failed, 2 invalid arguments, 130 interrupted.
    private static func report(_ error: any Error) -> Int32 {
        // The code of a program ended by the signal. The reader has closed the pipe, so there is no message.
        if let error = error as? OutputError, error.isHangUp { return 128 + SIGPIPE }
        if error is CancellationError { return 130 }
        let message: String = "querykit-demo: \(error)"
        Console.system(.auto).remark(Line(message))
        return error is UsageError ? 2 : 1
    }
}
