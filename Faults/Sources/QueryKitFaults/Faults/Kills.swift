import Foundation
import QueryKitSQLite

/// Kills a writing process at random moments: while it opens the file, within a transaction, during a commit, while the log is written
/// back.
///
/// Afterwards every acknowledged batch must exist, and each transaction completely or not at all. This tests the end of a process, not a
/// power failure.
enum Kills {
    static let writer = Role("writer") { trial, arguments in
        let ledger = Ledger(seed: trial.plan.seed)
        var configuration = SQLiteDatabase.Configuration()
        configuration.cacheKibibytes = 64
        let database = try await SQLiteDatabase.open(
            .file(URL(filePath: arguments[0])),
            migrations: Ledger.migrations,
            configuration: configuration
        )
        var batch = try await database.read(Ledger.newest)
        for recovery in database.report.unacknowledged { Role.say("report \(recovery.cause)") }
        Role.say("open \(batch)")
        while true {
            batch += 1
            let number = batch
            try await database.write { db in try ledger.write(number, db) }
            Role.say("done \(number)")
        }
    }

    /// What is known about the current file.
    private struct Account {
        var path: URL
        var acknowledged = 0
        /// The number of processes killed since then. Each may have made one more commit without acknowledging it.
        var silentDeaths = 0
    }

    static func run(_ trial: Trial) async throws {
        let rounds = trial.plan.count(long: 200, short: 20)
        var account = Account(path: trial.file("0.sqlite"))
        var phases: [String: Int] = [:]
        for round in 0..<rounds {
            if round % 40 == 39 {
                await look(trial, &account, byReader: false)
                account = Account(path: trial.file("\(round).sqlite"))
            }
            // Another process that has the file open keeps its log and the index of the log.
            let openReader = trial.dice.isOne(in: 3) ? try? await SQLiteReader.open(account.path) : nil
            let phase = try await killOne(trial, &account)
            phases[phase, default: 0] += 1
            if let openReader {
                await judge(trial, &account, byOpenReader: true) { try await openReader.read(Ledger(seed: trial.plan.seed).look) }
                await openReader.close()
            }
            switch trial.dice.below(4) {
            // Doesn't check the file, so the next process finds the state that this one left, and may be killed in turn.
            case 0: break
            case 1: await look(trial, &account, byReader: true)
            default: await look(trial, &account, byReader: false)
            }
        }
        await look(trial, &account, byReader: false)
        trial.note("\(trial.tally.kills) kills")
        for phase in ["as it opened", "within a transaction", "at a commit", "between two"] { trial.note("\(phases[phase] ?? 0) \(phase)") }
    }

    /// Starts a process, kills it, and returns what it was doing.
    private static func killOne(_ trial: Trial, _ account: inout Account) async throws -> String {
        let child = try Child(writer, of: trial, [account.path.path(percentEncoded: false)])
        var lines: [String] = []
        if trial.dice.isOne(in: 8) {
            try await Task.sleep(for: .microseconds(trial.dice.below(60_000)))
        } else {
            let commits = trial.dice.below(12)
            while let line = await child.line() {
                lines.append(line)
                if lines.count(where: { $0.hasPrefix("done") }) >= commits { break }
            }
            try await Task.sleep(for: .microseconds(trial.dice.below(trial.dice.isOne(in: 3) ? 40_000 : 3_000)))
        }
        child.kill()
        lines += await child.lines()
        let ending = await child.end()
        trial.check(ending == .signal(SIGKILL), "a process ended before it was killed, with \(ending), after \(lines.last ?? "nothing")")
        trial.tally.kills += 1
        if ending.isCrash { trial.tally.crashes += 1 }
        take(lines, trial, &account)
        return switch lines.last?.split(separator: " ").first {
        case nil: "as it opened"
        case "half": "within a transaction"
        case "whole": "at a commit"
        default: "between two"
        }
    }

    /// Records the output of a process: what it found in the file, and what it committed.
    private static func take(_ lines: [String], _ trial: Trial, _ account: inout Account) {
        for line in lines {
            trial.check(!line.hasPrefix("report "), "a kill is taken for damage: \(line)")
            let words = line.split(separator: " ")
            guard words.count == 2, let number = Int(words[1]) else { continue }
            if words[0] == "open" { compare(number, trial, &account) }
            if words[0] == "done" { account = Account(path: account.path, acknowledged: number) }
        }
        account.silentDeaths += 1
    }

    /// Checks that the newest batch is one of the possible ones.
    ///
    /// A reader that was open during the kill uses the index of the log. If a process was killed after its commit was in the log and before
    /// the commit was in the index, the commit is found only when the index is rebuilt. It was never acknowledged, so it may become visible
    /// later.
    private static func compare(_ newest: Int, _ trial: Trial, _ account: inout Account, byOpenReader: Bool = false) {
        let possible = account.acknowledged...(account.acknowledged + account.silentDeaths)
        if newest < possible.lowerBound { trial.tally.lostCommits += possible.lowerBound - newest }
        trial.check(possible.contains(newest), "batch \(newest) is the newest, and \(account.acknowledged) was acknowledged")
        let undecided = byOpenReader ? max(0, possible.upperBound - newest) : 0
        account = Account(path: account.path, acknowledged: newest, silentDeaths: undecided)
    }

    private static func look(_ trial: Trial, _ account: inout Account, byReader: Bool) async {
        let ledger = Ledger(seed: trial.plan.seed)
        let path = account.path
        guard FileManager.default.fileExists(atPath: path.path(percentEncoded: false)) else { return }
        await judge(trial, &account) {
            if byReader {
                let reader = try await SQLiteReader.open(path)
                let look = try await reader.read(ledger.look)
                await reader.close()
                return look
            }
            let database = try await SQLiteDatabase.open(.file(path), migrations: Ledger.migrations)
            let look = try await database.read(ledger.look)
            for recovery in database.report.unacknowledged { trial.fail("a kill is taken for damage: \(recovery.cause)") }
            await database.close()
            return look
        }
    }

    private static func judge(
        _ trial: Trial,
        _ account: inout Account,
        byOpenReader: Bool = false,
        _ look: () async throws -> Ledger.Look
    ) async {
        do {
            let found = try await look()
            compare(found.newest, trial, &account, byOpenReader: byOpenReader)
            if found.torn != nil { trial.tally.tornTransactions += 1 }
            trial.check(found.torn == nil, "a transaction is torn: \(found.torn ?? "")")
            trial.check(found.damage == nil, "the file is damaged: \(found.damage ?? "")")
        } catch {
            trial.fail("after a kill the file can't be read: \(error)")
        }
    }
}
