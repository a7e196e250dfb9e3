import Foundation
import Testing

/// The program at a terminal, ended by a signal: it closes the diary, as it does at a regular end.
@Suite(.timeLimit(.minutes(5)), .serialized) struct SignalTests {
    private let folder: CommandFolder

    init() throws {
        folder = try CommandFolder()
        try #require(try folder.run("log", "cake", "100g", "--kcal", "300").code == 0)
    }

    /// What SQLite keeps beside a diary that is open. The last connection removes it.
    private var hasLog: Bool { FileManager.default.fileExists(atPath: folder.url.appending(path: "diary.db-wal").path) }

    /// Starts a command, waits for a text on its terminal, and sends it a signal. Returns the exit code of the process.
    private func end(_ words: [String], at text: String, with signal: Int32) throws -> Int32 {
        let terminal = try CommandFolder.Terminal()
        let process = try folder.process(words, environment: ["TERM": "xterm"])
        process.standardInput = terminal.near
        process.standardOutput = terminal.near
        process.standardError = terminal.near
        try process.run()
        // Otherwise the end of the process wouldn't end the output.
        try terminal.near.close()
        #expect(terminal.read(until: text), "\(words) did not show \(text)")
        #expect(hasLog)
        #expect(kill(process.processIdentifier, signal) == 0)
        _ = terminal.read(until: nil)
        process.waitUntilExit()
        // A signal that isn't handled ends the process with another reason.
        #expect(process.terminationReason == .exit)
        return process.terminationStatus
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func `a command that waits for an answer closes the diary on a signal, and changes nothing`(signal: Int32) throws {
        #expect(try end(["delete", "1"], at: "[y/N]", with: signal) == 128 + signal)
        #expect(!hasLog)
        #expect(try folder.run("today", "--json").output.contains("\"cake\""))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a command at work closes the diary on a signal, and the diary stays sound`(signal: Int32) throws {
        let seed = ["seed", "--days", "3653", "--per-day", "100", "--ingredients", "100000", "--yes"]
        #expect(try end(seed, at: "Seeding", with: signal) == 128 + signal)
        #expect(!hasLog)
        let check = try folder.run("doctor")
        #expect(check.code == 0, "\(check)")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `the live screen closes the diary on a signal`(signal: Int32) throws {
        #expect(try end(["watch"], at: "cake", with: signal) == 128 + signal)
        #expect(!hasLog)
    }
}
