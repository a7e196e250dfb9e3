import Foundation
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct CompletionTests {
    private static let completion = Completion(GrammarTests.grammar)

    @Test(arguments: Shell.allCases) func `the script contains each command and each option`(shell: Shell) {
        let script = Self.completion.script(for: shell)
        for word in ["greet", "pick", "stop", "count", "mood", "loud", "file", "calm", "lively"] {
            #expect(script.contains(word), "\(word) is missing for \(shell)")
        }
    }

    @Test(arguments: [
        ("hi gr", "greet"), ("hi greet --mo", "--mood"), ("hi greet --mood c", "calm"), ("hi --loud st", "stop"), ("hi pick --l", "--loud"),
        ("hi greet --count ", ""), ("hi stop --co", ""),
    ])
    func `bash completes a partly typed word`(line: String, completed: String) throws {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(Self.completion.script(for: .bash))
            COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hi; echo "${COMPREPLY[*]}"
            """
        #expect(try output(of: "/bin/bash", ["-c", script]) == completed)
    }

    private func output(of program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
