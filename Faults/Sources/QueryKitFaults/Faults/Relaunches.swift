import Foundation
import QueryKitSQLite

/// Kills processes that share a journal of mutations at random moments: while they open it, while they record a call, before and after its
/// effect.
///
/// Each acknowledged call must have its effect once, those of one scope in their order, and the journal must be empty at the end. The
/// server recognizes a repetition by the key of the call. Only calls of processes that have ended may be repeated.
enum Relaunches {
    /// The number of kills that share one journal.
    private static let killsPerJournal = 40

    /// What is known about the current journal.
    private struct Account {
        let name: String
        var processes = 0
        var kills = 0
        /// The times at which each call was submitted and at the latest recorded, in the nanoseconds of the machine.
        var submitted: [Parcel.Name: UInt64] = [:]
        var written: [Parcel.Name: UInt64] = [:]
        var done: Set<Parcel.Name> = []
    }

    /// The totals of all journals.
    private struct Counts {
        var asTheyOpened = 0
        var takenOver = 0
        var calls = 0
        var repeated = 0
    }

    static func run(_ trial: Trial) async throws {
        let kills = trial.plan.count(long: 200, short: 15)
        var counts = Counts()
        while trial.tally.kills < kills {
            var account = Account(name: "\(trial.tally.kills)")
            while account.kills < killsPerJournal, trial.tally.kills < kills {
                try await round(trial, &account, &counts)
            }
            try await finish(launch(trial, &account), trial, &account)
            await judge(trial, account, &counts)
        }
        trial.note("\(trial.tally.kills) kills")
        trial.note("\(counts.asTheyOpened) before the calls were resumed")
        trial.note("\(counts.calls) calls")
        trial.note("\(counts.takenOver) made by another process")
        trial.note("\(counts.repeated) made again")
    }

    /// Kills a process. In a third of the rounds a second process shares the journal, takes over, and finishes or is killed as well.
    private static func round(_ trial: Trial, _ account: inout Account, _ counts: inout Counts) async throws {
        let isShared = trial.dice.isOne(in: 3)
        let app = try launch(trial, &account)
        let widget = isShared ? try launch(trial, &account) : nil
        await kill(app, after: delay(&trial.dice), trial, &account, &counts)
        guard let widget else { return }
        if trial.dice.isOne(in: 2) {
            await kill(widget, after: trial.dice.below(200), trial, &account, &counts)
        } else {
            await finish(widget, trial, &account)
        }
    }

    /// In milliseconds. Some processes haven't opened the journal by then.
    private static func delay(_ dice: inout Dice) -> Int { dice.isOne(in: 4) ? dice.below(30) : 20 + dice.below(360) }

    // MARK: Processes

    /// A process and its output. The output is read continuously, because the process would block if the pipe were full.
    private struct Launched {
        let number: Int
        let child: Child
        let lines: Task<[String], Never>
    }

    private static func launch(_ trial: Trial, _ account: inout Account) throws -> Launched {
        account.processes += 1
        let child = try Child(ParcelSender.role, of: trial, [account.name, "\(account.processes)"])
        // Ends with the process.
        return Launched(number: account.processes, child: child, lines: Task { await child.lines() })
    }

    private static func kill(
        _ launched: Launched,
        after milliseconds: Int,
        _ trial: Trial,
        _ account: inout Account,
        _ counts: inout Counts
    ) async {
        try? await Task.sleep(for: .milliseconds(milliseconds))
        launched.child.kill()
        let lines = await launched.lines.value
        let ending = await launched.child.end()
        trial.check(ending == .signal(SIGKILL), "a process ended before it was killed, with \(ending), after \(lines.last ?? "nothing")")
        if ending.isCrash { trial.tally.crashes += 1 }
        trial.tally.kills += 1
        account.kills += 1
        if !lines.contains("resumed") { counts.asTheyOpened += 1 }
        take(lines, of: launched.number, trial, &account)
    }

    /// Lets a process finish all calls, including those of killed processes, whose leases would otherwise last for a minute.
    private static func finish(_ launched: Launched, _ trial: Trial, _ account: inout Account) async {
        launched.child.say("finish")
        let start = ContinuousClock.now
        let watchdog = Task {
            try await Task.sleep(for: .seconds(15))
            launched.child.kill()
        }
        let lines = await launched.lines.value
        watchdog.cancel()
        let ending = await launched.child.end()
        trial.check(
            lines.last == "empty" && ending == .exit(0),
            "a process did not finish all calls: \(ending) after \(start.duration(to: .now).seconds) s and \(lines.last ?? "nothing")"
        )
        if ending.isCrash { trial.tally.crashes += 1 }
        take(lines, of: launched.number, trial, &account)
    }

    /// Records the output of a process.
    private static func take(_ lines: [String], of process: Int, _ trial: Trial, _ account: inout Account) {
        let troubles = lines.filter { $0.hasPrefix("trouble ") }
        trial.check(troubles.isEmpty, "process \(process) had \(troubles.count) problems, such as \(troubles.first?.dropFirst(8) ?? "")")
        for line in lines {
            let words = line.split(separator: " ")
            let call = words.dropFirst().first.flatMap { Int($0) }.map { Parcel.Name(process: process, number: $0) }
            switch (words.first, call) {
            case ("open", _): trial.expect(line, "open healthy", "the state of a journal")
            case ("submit", let call?): account.submitted[call] = words.last.flatMap { UInt64($0) }
            case ("written", let call?): account.written[call] = words.last.flatMap { UInt64($0) }
            case ("done", let call?): account.done.insert(call)
            default: break
            }
        }
    }

    // MARK: What came of it

    private static func judge(_ trial: Trial, _ account: Account, _ counts: inout Counts) async {
        await checkFile(trial, account)
        guard let data = try? Data(contentsOf: ParcelSender.serverFile(trial, account.name)) else {
            return trial.fail("no call has reached the server")
        }
        let receipts = ParcelServer.receipts(in: data)
        let effects = receipts.filter { $0.kind == .effect }
        counts.calls += effects.count
        counts.takenOver += effects.count { $0.caller.journal != $0.parcel.process }
        counts.repeated += receipts.count { $0.kind == .again }

        let twice = receipts.filter { $0.kind == .twice }.map(\.parcel)
        trial.check(twice.isEmpty, "\(list(twice)) repeated while the process that had made them was still running")
        let effectCounts = Dictionary(effects.map { ($0.parcel, 1) }, uniquingKeysWith: +)
        let repeated = effectCounts.filter { $0.value > 1 }.map(\.key)
        trial.check(repeated.isEmpty, "\(list(repeated)) had more than one effect")
        let lost = account.done.union(account.written.keys).filter { effectCounts[$0] == nil }
        trial.check(lost.isEmpty, "\(list(Array(lost))) acknowledged, without an effect")
        trial.tally.lostCommits += lost.count
        checkGaps(effects, trial)
        for scope in SendParcel.scopes.compactMap(\.self) { checkOrder(effects.filter { $0.scope == scope }, in: scope, trial, account) }
    }

    private static func checkFile(_ trial: Trial, _ account: Account) async {
        do {
            let reader = try await SQLiteReader.open(ParcelSender.journalFile(trial, account.name))
            let (found, rest) = try await reader.read { db in
                (try db.value(String.self, "PRAGMA integrity_check"), try db.value(Int.self, "SELECT count(*) FROM calls"))
            }
            await reader.close()
            trial.expect(found, "ok", "the integrity check of the journal")
            trial.expect(rest, 0, "calls in the journal after the last process")
        } catch {
            trial.fail("the journal can't be read: \(error)")
        }
    }

    /// A process records its calls in the order in which they were made: if a call had its effect, all earlier ones must have had theirs.
    private static func checkGaps(_ effects: [ParcelServer.Receipt], _ trial: Trial) {
        let found = Set(effects.map(\.parcel))
        let newest = Dictionary(found.map { ($0.process, $0.number) }, uniquingKeysWith: max)
        let missing = newest.flatMap { process, last in (1...last).map { Parcel.Name(process: process, number: $0) } }
            .filter { !found.contains($0) }
        trial.check(missing.isEmpty, "\(list(missing)) skipped: later calls of their process had their effect")
    }

    /// The calls of a process must be made in order, and none after a call that was submitted when it was already in the journal.
    private static func checkOrder(_ effects: [ParcelServer.Receipt], in scope: String, _ trial: Trial, _ account: Account) {
        var newest: [Int: Int] = [:]
        var latest: (call: Parcel.Name, submitted: UInt64)?
        var wrong: [String] = []
        for call in effects.map(\.parcel) {
            if let number = newest[call.process], number > call.number { wrong.append("\(call) after \(call.process).\(number)") }
            newest[call.process] = max(newest[call.process] ?? 0, call.number)
            if let latest, let written = account.written[call], written < latest.submitted { wrong.append("\(call) after \(latest.call)") }
            if let submitted = account.submitted[call], submitted > latest?.submitted ?? 0 { latest = (call, submitted) }
        }
        trial.check(wrong.isEmpty, "\(wrong.count) effects in scope \(scope) came too late, such as \(wrong.first ?? "")")
    }

    private static func list(_ calls: [Parcel.Name]) -> String {
        "\(calls.count) calls of a journal (\(calls.prefix(3).map(\.description).joined(separator: ", "))) were"
    }
}
