#if Postgres
import Foundation
import QueryKitPostgres

/// Four machines with their server, and what is known about them.
final class Fleet {
    let server: PostgresServer
    private let trial: Trial
    private let admin: PostgresDatabase
    private var machines: [Child] = []
    private var hung = 0

    /// Starts the server and the machines, lets a closure do something to them while they write, and checks the results.
    static func run(_ trial: Trial, _ body: (Fleet) async throws -> Void) async throws -> Result {
        let server = try PostgresServer()
        defer { server.remove() }
        let fleet = try await Fleet(server, trial)
        for index in 0..<Machine.count { fleet.machines.append(try await fleet.launch(index)) }
        for machine in fleet.machines { machine.say("write") }
        try await body(fleet)
        let result = try await fleet.finish()
        await fleet.admin.close()
        return result
    }

    private init(_ server: PostgresServer, _ trial: Trial) async throws {
        self.server = server
        self.trial = trial
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        admin = try await PostgresDatabase.open(server.url, migrations: Machine.migrations, configuration: configuration)
    }

    private func journal(_ index: Int) -> URL { trial.file("journal \(index)") }

    private func launch(_ index: Int) async throws -> Child {
        let child = try Child(Machine.role, of: trial, [server.url, "\(index)", journal(index).path(percentEncoded: false)])
        guard await child.line(within: .seconds(60)) == "ready" else {
            child.kill()
            throw PostgresServer.Failure(description: "machine \(index) doesn't start: \(await child.end())")
        }
        return child
    }

    // MARK: Faults

    /// Kills a machine, and starts it again.
    func replaceMachine(_ index: Int) async throws {
        machines[index].kill()
        let ending = await machines[index].end()
        trial.check(ending == .signal(SIGKILL), "machine \(index) ended before it was killed, with \(ending)")
        trial.tally.kills += 1
        machines[index] = try await launch(index)
        machines[index].say("write")
    }

    /// Ends a connection of a machine from the side of the server.
    func terminateProcess() async throws {
        guard let process = try await anyProcess() else { return }
        _ = try await reading { db in try await db.value(Bool.self, "SELECT pg_terminate_backend(\(process)::integer)") }
    }

    /// Stops a process of the server for a while.
    func stallProcess() async throws {
        guard let process = try await anyProcess() else { return }
        Foundation.kill(pid_t(process), SIGSTOP)
        try await Task.sleep(for: .milliseconds(200))
        Foundation.kill(pid_t(process), SIGCONT)
    }

    private func anyProcess() async throws -> Int? {
        let processes: [Int] = try await reading { db in
            try await db.values("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        }
        return processes.isEmpty ? nil : processes.sorted()[trial.dice.below(processes.count)]
    }

    /// Waits until the machines have made more calls. If they don't, calls hang.
    func progress(by count: Int) async throws {
        let start = ContinuousClock.now
        let first = try await callCount()
        while try await callCount() < first + count {
            if start.duration(to: .now) > .seconds(30) {
                hung += 1
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func callCount() async throws -> Int {
        try await reading { db in try await db.value(Int.self, "SELECT count(*) FROM calls") ?? 0 }
    }

    /// Repeats a read whose connection was lost.
    private func reading<Value>(_ body: (PostgresReadTransaction) async throws -> Value) async throws -> Value {
        for _ in 0..<10 {
            do { return try await admin.read(body: body) } catch let error as PostgresError where error.code == .unavailable { continue }
        }
        return try await admin.read(body: body)
    }

    // MARK: Results

    /// What was found at the end.
    struct Result {
        var calls = 0
        var lost = 0
        var missed = 0
        var twice = 0
        var hung = 0
        /// Stores that ran although their counter was not increased since their last run.
        var needless = 0

        var line: String {
            "acknowledged writes lost \(lost), notices missed \(missed), effects of a mutation twice \(twice), hung calls \(hung)"
        }
    }

    private func finish() async throws -> Result {
        var result = Result()
        for machine in machines { machine.say("stop") }
        for machine in machines where await machine.line(within: .seconds(60)) != "stopped" { hung += 1 }
        result.hung = hung
        if hung > 0 {
            Child.killAll()
            return result
        }
        try await admin.write { db in try await db.execute("UPDATE counters SET value = 1 WHERE id = 0") }
        let (values, calls) = try await reading { db in
            (
                try await db.map("SELECT id, value FROM counters") { row in (try row[0] as Int, try row[1] as Int) },
                try await db.map("SELECT key, counter FROM calls") { row in (try row[0] as String, try row[1] as Int) }
            )
        }
        let counters = Dictionary(uniqueKeysWithValues: values)
        let counts = Dictionary(grouping: calls, by: \.1).mapValues(\.count)
        let keys = Set(calls.map(\.0))
        result.calls = calls.count
        for (id, value) in counters where id != 0 {
            result.twice += max(0, value - counts[id, default: 0])
            result.lost += max(0, counts[id, default: 0] - value)
        }
        for index in 0..<Machine.count {
            result.lost += try MachineNotes.lines(journal(index)).count { $0[0] == "done" && !keys.contains($0[1]) }
        }
        for (index, machine) in machines.enumerated() {
            machine.say("1")
            var stores = 0
            while let line = await machine.line(within: .seconds(60)), line != "end" {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 5, let id = Int(words[1]), let value = Int(words[2]), let runs = Int(words[3]) else { continue }
                stores += 1
                if value != counters[id], words[4] == "trusts" { result.missed += 1 }
                if runs > 1 + counts[id, default: 0] { result.needless += 1 }
            }
            trial.check(stores == 250, "machine \(index) reported \(stores) stores instead of 250")
            let ending = await machine.end()
            trial.check(ending == .exit(0), "machine \(index) ended with \(ending)")
        }
        trial.tally.lostCommits += result.lost
        trial.check(result.lost + result.missed + result.twice + result.hung == 0, result.line)
        return result
    }
}

extension PostgresDatabase {
    fileprivate func read<Value>(body: (PostgresReadTransaction) async throws -> Value) async throws -> Value {
        try await read(.repeatableRead, body)
    }
}
#endif
