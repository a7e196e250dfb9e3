#if Postgres
import Foundation
import QueryKit
import QueryKitPostgres

/// One of four processes that each show 250 counters of a database, and increase counters by four writers.
///
/// Each of 500 counters is shown by two machines. Writers increase those with even numbers. Counter 0 is the fence: only the parent
/// increases it, and a new value shows that all earlier commits were reported.
final class Machine: Sendable {
    static let count = 4

    static let migrations: PostgresMigrations = [
        PostgresMigration(
            "counters",
            """
            CREATE TABLE counters (id bigint PRIMARY KEY, value bigint NOT NULL DEFAULT 0);
            INSERT INTO counters SELECT * FROM generate_series(0, 500);
            CREATE TABLE calls (key text PRIMARY KEY, counter bigint NOT NULL);
            """
        )
    ]

    /// Takes commands, one a line: `write`, `stop`, or the value of the fence to wait for, after which it prints its stores.
    static let role = Role("machine") { _, arguments in
        let machine = try await Machine(url: arguments[0], index: Int(arguments[1]) ?? 0, journal: URL(filePath: arguments[2]))
        Role.say("ready")
        var writing: Task<Void, any Error>?
        for await command in commands {
            switch command {
            case "write": writing = Task { try await machine.write() }
            case "stop":
                await machine.notes.stop()
                try await writing?.value
                Role.say("stopped")
            default: try await machine.report(atFence: Int(command) ?? 0)
            }
        }
    }

    /// A thread reads them, because reading blocks. It doesn't use `readLine`, which locks standard input, so that `fflush(nil)` would
    /// wait.
    private static var commands: AsyncStream<String> {
        AsyncStream { continuation in
            Thread {
                var rest = Data()
                while true {
                    let chunk = FileHandle.standardInput.availableData
                    if chunk.isEmpty { return continuation.finish() }
                    rest += chunk
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
            }.start()
        }
    }

    private let index: Int
    private let shown: [Int]
    private let database: PostgresDatabase
    private let client = QueryClient()
    private let notes: MachineNotes
    private let subscriptions: [QuerySubscription]

    private init(url: String, index: Int, journal: URL) async throws {
        self.index = index
        shown = [0] + (0..<250).map { (index * 125 + $0) % 500 + 1 }
        notes = try MachineNotes(journal)
        var configuration = PostgresDatabase.Configuration()
        configuration.connectionLimit = 6
        configuration.partitions = [PostgresPartition(table: "counters", column: "id")]
        database = try await PostgresDatabase.open(url, migrations: Self.migrations, configuration: configuration)
        client.connect(to: database)
        subscriptions = shown.map { [client, database, notes] id in
            client.store(for: Counter(id: id, database: database, notes: notes).ttl(.infinity))
                .subscribe(with: QueryEventHandler { _, _ in })
        }
        await client.settled()
    }

    private func store(_ id: Int) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: Counter(id: id, database: database, notes: notes).ttl(.infinity))
    }

    // MARK: Commands

    /// First repeats the calls whose outcome an earlier process at this place didn't learn, then makes others.
    private func write() async throws {
        for (key, counter) in try await notes.openCalls() { try await call(key, counter) }
        let run = UUID().uuidString
        try await withThrowingDiscardingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask { [self] in
                    var number = 0
                    while await !notes.isOver {
                        number += 1
                        let counter = Int.random(in: 1...250) * 2
                        try await call("\(run).\(writer).\(number)", counter)
                    }
                }
            }
        }
    }

    /// Increases a counter. Repeats the call under the same key until it is acknowledged.
    private func call(_ key: String, _ counter: Int) async throws {
        try await notes.write("begun \(key) \(counter)")
        while true {
            do {
                try await database.write { db in
                    let isNew = try await db.execute("INSERT INTO calls VALUES (\(key), \(counter)) ON CONFLICT DO NOTHING") == 1
                    if isNew { try await db.execute("UPDATE counters SET value = value + 1 WHERE id = \(counter)") }
                }
                return try await notes.write("done \(key)")
            } catch let error as PostgresError where [.unavailable, .outcomeUnknown, .timeout].contains(error.code) {
                continue
            }
        }
    }

    private func report(atFence value: Int) async throws {
        for await current in store(0).select(\.value) where (current ?? 0) >= value { break }
        await client.settled()
        let runs = await notes.runs
        for id in shown.dropFirst() {
            let state = store(id).state
            let knows = state.error != nil || state.isInvalidated
            Role.say("store \(id) \(state.value ?? -1) \(runs[id, default: 0]) \(knows ? "knows" : "trusts")")
        }
        Role.say("end")
    }
}

/// What a machine notes: its calls, in a file that outlives it, and the runs of its fetch closures.
actor MachineNotes {
    private let journal: URL
    private let handle: FileHandle
    private(set) var runs: [Int: Int] = [:]
    private(set) var isOver = false

    init(_ journal: URL) throws {
        self.journal = journal
        if !FileManager.default.fileExists(atPath: journal.path(percentEncoded: false)) { try Data().write(to: journal) }
        handle = try FileHandle(forWritingTo: journal)
        try handle.seekToEnd()
    }

    func noteRun(of id: Int) { runs[id, default: 0] += 1 }

    func stop() { isOver = true }

    func write(_ line: String) throws { try handle.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The calls that were begun and not acknowledged.
    func openCalls() throws -> [(key: String, counter: Int)] {
        let lines = try Self.lines(journal)
        let done = Set(lines.filter { $0[0] == "done" }.map { $0[1] })
        return lines.filter { $0.count == 3 && !done.contains($0[1]) }.map { ($0[1], Int($0[2]) ?? 0) }
    }

    static func lines(_ journal: URL) throws -> [[String]] {
        // The last line may be incomplete.
        let text = try String(contentsOf: journal, encoding: .utf8)
        return text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            .filter { $0.count == ($0.first == "begun" ? 3 : 2) }
    }
}

private struct Counter: QueryRequest {
    let id: Int
    let database: PostgresDatabase
    let notes: MachineNotes

    var path: QueryPath { ["counter", id] }

    static func == (left: Counter, right: Counter) -> Bool { left.id == right.id }

    func hash(into hasher: inout Hasher) { hasher.combine(id) }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        await notes.noteRun(of: id)
        return try await database.read { db in
            try await db.value(Int.self, "SELECT value FROM counters WHERE id = \(partition: id, of: "counters")") ?? 0
        }
    }
}

extension Role {
    static let postgres = [Machine.role]
}
#else
extension Role {
    static let postgres: [Role] = []
}
#endif
