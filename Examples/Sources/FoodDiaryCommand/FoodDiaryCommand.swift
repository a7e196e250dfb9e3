import DiaryScreens
import FoodDiaryKit
import FoodDiarySQLite
import Foundation
import QueryKit
import QueryKitSQLite
import Terminal

/// Keeps a food diary from the command line.
@main
enum FoodDiaryCommand {
    static func main() async {
        StandardStreams.fill()
        // A closed pipe becomes an error of the next write, after which the diary is closed.
        signal(SIGPIPE, SIG_IGN)
        let warning = ZoneName.settle()
        exit(await run(Array(CommandLine.arguments.dropFirst()), warning))
    }

    /// - Parameter warning: A warning to print before a diary is opened.
    private static func run(_ words: [String], _ warning: Line?) async -> Int32 {
        do {
            switch try DiaryGrammar.grammar.read(words) {
            case .help(let topic):
                let console = Console.system(.auto)
                try console.write(HelpText(DiaryGrammar.grammar, width: console.width).lines(about: topic))
                return 0
            case .arguments(let arguments):
                let invocation = try Invocation(arguments)
                return await Failure.told(on: .system(invocation.color, isJSON: invocation.isJSON)) { console in
                    if let warning { console.remark(warning) }
                    return try await carryOut(invocation, console)
                }
            }
        } catch {
            // The arguments are invalid, but they still determine the format of the error.
            let isJSON = words.prefix { $0 != "--" }.contains("--json")
            return Failure.told(error, on: .system(.auto, isJSON: isJSON))
        }
    }

    private static func carryOut(_ invocation: Invocation, _ console: Console) async throws -> Int32 {
        switch invocation.command {
        case .completion(let shell):
            try console.write(text: Completion(DiaryGrammar.grammar).script(for: shell))
            return 0
        case .demo:
            guard !invocation.isJSON else {
                throw UsageError("demo is interactive; in scripts use: food-diary today --json")
            }
            let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
            return try await Interruption.cancelling {
                try await Demo(console: console, executable: executable).run()
                return 0
            }
        case .watch:
            guard console.drawsPictures else {
                throw UsageError(
                    "watch needs a terminal that can move its cursor, unlike TERM=dumb; otherwise use: food-diary today"
                )
            }
            return try await closing(program(invocation, console)) { try await $0.run(invocation.command) }
        case .evaluation(let evaluation) where !evaluation.isMine:
            return try await Interruption.cancelling {
                try await DiaryProgram(FoodDiary.open(.temporary), console: console).run(invocation.command)
            }
        case let command:
            return try await Interruption.cancelling {
                try await closing(program(invocation, console)) { try await $0.run(command) }
            }
        }
    }

    /// Runs a command, and closes the diary afterwards, even if the command fails.
    private static func closing(_ program: DiaryProgram, _ work: (DiaryProgram) async throws -> Int32) async throws -> Int32 {
        do {
            let code = try await work(program)
            await program.close()
            return code
        } catch {
            await program.close()
            throw error
        }
    }

    /// Opens the diary. Creates its folder only at the default location.
    private static func program(_ invocation: Invocation, _ console: Console) async throws -> DiaryProgram {
        if let server = DiaryServer.current(option: invocation.database) {
            try server.check(invocation.command)
            return DiaryProgram(try await server.open(), console: console, server: server)
        }
        let location = DiaryLocation.current(option: invocation.database)
        try DiaryFile.checkPlace(location.file)
        let isNew = !FileManager.default.fileExists(atPath: location.file.path)
        if location.isDefault {
            let folder = location.file.deletingLastPathComponent()
            do {
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            } catch {
                let reason = FaultText.reason(error)
                throw CommandError("The folder \(folder.path) can't be created: \(reason). Choose another location, such as: --db diary.db")
            }
        }
        let diary = try await DiaryFile.open(location.file, for: invocation.command)
        if isNew { console.remark(Line("Created a new diary at \(location.file.path).", .faint)) }
        // After any other recovery each command prints the notices, which are stored in the new file.
        if let report = diary.database?.report, case .inMemory = report.outcome {
            console.remark(Line("The diary was \(HealthScreen.found(report).text)", .warning))
        }
        return DiaryProgram(diary, console: console, location: location.file)
    }
}
