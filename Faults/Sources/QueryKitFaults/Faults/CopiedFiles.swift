import Foundation
import QueryKitSQLite

/// Copies a database without its log after its process was killed. The copy lacks commits, and opening it must report that.
enum CopiedFiles {
    static func run(_ trial: Trial) async throws {
        let rounds = trial.plan.count(long: 80, short: 12)
        let ledger = Ledger(seed: trial.plan.seed)
        var (incomplete, silent, whole, needless) = (0, 0, 0, 0)
        for round in 0..<rounds {
            let url = trial.file("\(round).sqlite")
            let acknowledged = try await killWriter(trial, url)
            let hasLog = trial.dice.isOne(in: 4)
            let copy = trial.file("copy \(round).sqlite")
            for suffix in hasLog ? ["", "-wal"] : [""] {
                let (source, target) = (url.path(percentEncoded: false) + suffix, copy.path(percentEncoded: false) + suffix)
                if FileManager.default.fileExists(atPath: source) { try FileManager.default.copyItem(atPath: source, toPath: target) }
            }
            guard FileManager.default.fileExists(atPath: copy.path(percentEncoded: false)) else { continue }
            await trial.expectSuccess("copy \(round)") {
                let database = try await SQLiteDatabase.open(.file(copy), migrations: Ledger.migrations)
                let report = database.report
                let found = try await database.read(ledger.look).newest
                await database.close()
                let isReported = !report.unacknowledged.isEmpty
                if hasLog {
                    whole += 1
                    if isReported { needless += 1 }
                    trial.check(found >= acknowledged, "copy \(round) with its log has \(found) of \(acknowledged) batches")
                    trial.check(!isReported, "copy \(round) with its log reports \(report.unacknowledged.map(\.cause))")
                } else if found < acknowledged {
                    incomplete += 1
                    if !isReported { silent += 1 }
                    trial.check(isReported, "copy \(round) has \(found) of \(acknowledged) batches, but reports nothing")
                }
            }
        }
        trial.note("\(whole) copies with their log, \(needless) needless reports")
        trial.tally.silentLosses += silent
        trial.note("\(incomplete) copies without commits, \(silent) silent losses")
    }

    /// Starts a process that writes, and kills it; returns the newest batch that it has acknowledged.
    private static func killWriter(_ trial: Trial, _ url: URL) async throws -> Int {
        let child = try Child(Kills.writer, of: trial, [url.path(percentEncoded: false)])
        let commits = 1 + trial.dice.below(20)
        var lines: [String] = []
        while let line = await child.line() {
            lines.append(line)
            if lines.count(where: { $0.hasPrefix("done") }) >= commits { break }
        }
        try await Task.sleep(for: .microseconds(trial.dice.below(3_000)))
        child.kill()
        lines += await child.lines()
        await child.end()
        trial.tally.kills += 1
        return lines.compactMap { $0.hasPrefix("done ") ? Int($0.dropFirst(5)) : nil }.last ?? 0
    }
}
