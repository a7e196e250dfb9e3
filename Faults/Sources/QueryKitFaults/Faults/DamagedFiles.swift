import Foundation
import QueryKitSQLite

/// Damages intact files in many ways. A child then opens, reads and writes each file: it must either succeed or report an error, and never
/// crash.
enum DamagedFiles {
    /// Creates the intact file. The process is killed while some of the data is still in the log.
    static let maker = Role("maker") { trial, arguments in
        let url = URL(filePath: arguments[0])
        let database = try await SQLiteDatabase.open(.file(url), migrations: SampleFile.migrations)
        let seed = trial.plan.seed
        try await database.write { db in try SampleFile.fill(db, seed) }
        // Closing writes the log back; later writes stay in the log.
        await database.close()
        if arguments[1] == "log" {
            let again = try await SQLiteDatabase.open(.file(url), migrations: SampleFile.migrations)
            try await again.write(SampleFile.change)
            Role.say("made")
            _ = readLine()
        }
        Role.say("made")
        _ = readLine()
    }

    /// Opens the files named by the parent, one after the other.
    static let opener = Role("opener") { _, _ in
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let number = Int(words[0]) else { continue }
            Role.say(await visit(URL(filePath: String(words[1])), number))
        }
    }

    private static func visit(_ url: URL, _ number: Int) async -> String {
        var configuration = SQLiteDatabase.Configuration()
        configuration.damage = number % 2 == 0 ? .fail : .recover
        configuration.check = [.schema, .quick, .full][number % 3]
        configuration.readerCount = 1
        configuration.busyTimeout = .milliseconds(200)
        var step = "open"
        var result = "healthy"
        do {
            let database = try await SQLiteDatabase.open(.file(url), migrations: SampleFile.migrations, configuration: configuration)
            do {
                if database.report.outcome != .healthy { result = "recovered" }
                step = "read"
                try await database.read(SampleFile.readAll)
                step = "write"
                try await database.write(SampleFile.change)
            } catch {
                result = describe(error, step)
                // Bits within texts may have changed, which can't be detected; everything else must be intact.
                if database.report.outcome != .healthy, (error as? SQLiteError)?.code != .mismatch {
                    result = "unexpected result of \(step) after recovery: \(error)"
                }
            }
            await database.close()
        } catch {
            result = describe(error, step)
            // Damage is recovered, so it must not prevent opening the file.
            if configuration.damage == .recover, let code = (error as? SQLiteError)?.code, code == .corrupt || code == .notADatabase {
                result = "strange \(step): \(error)"
            }
        }
        return result.replacing("\n", with: " ")
    }

    private static func describe(_ error: any Error, _ step: String) -> String {
        guard let error = error as? SQLiteError, !error.message.isEmpty else { return "strange \(step): \(error)" }
        return "error \(step): \(error.code.rawValue)"
    }

    static func run(_ trial: Trial) async throws {
        let healthy = [try await make(trial, "plain"), try await make(trial, "log")]
        var results: [String: Int] = [:]
        let rounds = trial.plan.count(long: 2_000, short: 100)
        var child = try Child(opener, of: trial)
        for number in 0..<rounds {
            // Separate dice for each file, so that a single one can be reproduced.
            var dice = Dice(trial.plan.seed, "damage \(number)")
            let (url, harm) = try damage(trial, healthy[dice.below(2)], number, &dice)
            if number % 20 == 7 { try await killInTheMiddle(trial, url, &dice) }
            child.say("\(number) \(url.path(percentEncoded: false))")
            let answer = await child.line(within: .seconds(20))
            trial.tally.damagedFiles += 1
            let word = answer.map { String($0.split(separator: " ").first ?? "") } ?? "death"
            results[word, default: 0] += 1
            if let answer {
                trial.check(word != "strange", "file \(number) (\(harm)): \(answer)")
            } else {
                if child.isSilent { child.kill() }
                let ending = await child.end()
                trial.tally.crashes += 1
                trial.fail(
                    "file \(number) (\(harm)): the process \(child.isSilent ? "hangs" : "ended with \(ending)"); \(url.lastPathComponent) is kept"
                )
                child = try Child(opener, of: trial)
            }
            if answer != nil, word != "strange" { remove(url) }
        }
        trial.expect(await child.end(), .exit(0), "the process that opens the files")
        trial.note("\(rounds) files, \(trial.tally.kills - healthy.count) of them first opened by a process that was killed")
        for (word, count) in results.sorted(by: { $0.key < $1.key }) { trial.note("\(count) \(word == "error" ? "clear errors" : word)") }
    }

    /// Kills a process that has the file open, perhaps during the recovery. The next process must be able to open the file in that state.
    private static func killInTheMiddle(_ trial: Trial, _ url: URL, _ dice: inout Dice) async throws {
        let child = try Child(opener, of: trial)
        // An odd number selects recovery from damage.
        child.say("1 \(url.path(percentEncoded: false))")
        try await Task.sleep(for: .microseconds(dice.below(60_000)))
        child.kill()
        await child.end()
        trial.tally.kills += 1
    }

    /// The bytes of an intact file and of its log.
    private static func make(_ trial: Trial, _ kind: String) async throws -> [String: [UInt8]] {
        let path = trial.file("\(kind).sqlite").path(percentEncoded: false)
        let child = try Child(maker, of: trial, [path, kind])
        trial.expect(await child.line(), "made", "the process that makes the healthy file")
        child.kill()
        trial.tally.kills += 1
        await child.end()
        var files: [String: [UInt8]] = [:]
        for suffix in ["", "-wal", "-shm"] {
            files[suffix] = (try? Data(contentsOf: URL(filePath: path + suffix))).map { Array($0) }
        }
        trial.check((files[""]?.count ?? 0) > 100_000, "the healthy file is too small")
        if kind == "log" { trial.check((files["-wal"]?.count ?? 0) > 10_000, "the healthy file has nothing in its log") }
        return files
    }

    private static func damage(_ trial: Trial, _ healthy: [String: [UInt8]], _ number: Int, _ dice: inout Dice) throws -> (URL, String) {
        var files = healthy
        // Damages the log in one of three cases if there is one, its index more rarely.
        let suffix = files["-wal"] == nil ? "" : ["", "", "-wal", "-wal", "-shm", "lost"][dice.below(6)]
        let harm: String
        if suffix == "lost" {
            files["-wal"] = nil
            harm = "the log is lost"
        } else {
            harm = Damage.apply(to: &files[suffix, default: []], &dice) + (suffix.isEmpty ? "" : " in \(suffix)")
        }
        let url = trial.file("\(number).sqlite")
        for (suffix, bytes) in files { try Data(bytes).write(to: URL(filePath: url.path(percentEncoded: false) + suffix)) }
        return (url, harm)
    }

    /// Removes the file, its companions, and the damaged files that were set aside.
    private static func remove(_ url: URL) {
        let folder = url.deletingLastPathComponent()
        let name = url.lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        where file.hasPrefix(name) || file.hasPrefix(name.replacing(".sqlite", with: "."))
            || file.hasPrefix(name.replacing(".sqlite", with: "-"))
        {
            try? FileManager.default.removeItem(at: folder.appending(path: file))
        }
    }
}
