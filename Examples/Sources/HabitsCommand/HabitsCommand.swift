import Foundation
import HabitsApp
import QueryKitSQLite

/// Keeps habits from the command line, and compares five ways to show them.
@main
enum HabitsCommand {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("habits: \((error as? SQLiteError)?.message ?? "\(error)")\n".utf8))
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func run(_ words: [String]) async throws {
        var words = words
        var file = ProcessInfo.processInfo.environment["HABITS_FILE"] ?? "habits.sqlite"
        if words.first == "--file" {
            guard words.count > 1 else { throw UsageError("Write: habits --file PATH COMMAND") }
            file = words[1]
            words.removeFirst(2)
        }
        let lines =
            switch try HabitsCall(words) {
            case .help: [HabitsCall.helpText]
            case .session: try await Comparison.run().lines
            case let call: try await HabitsProgram.run(call, in: URL(fileURLWithPath: file))
            }
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }
}
