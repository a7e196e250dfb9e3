#if Postgres
import Dispatch
import Foundation
import QueryKit
import QueryKitPostgres

/// What must not happen, whichever part fails.
struct FaultTally: Equatable, CustomStringConvertible {
    /// Acknowledged writes without an effect.
    var lost = 0
    /// Effects of a call beyond its first one.
    var twice = 0
    /// Effects of calls whose error says that they have none.
    var hidden = 0
    /// Stores with an outdated value that don't know it.
    var missed = 0
    /// Errors after which the same call can't be expected to succeed.
    var unexpected: [String] = []

    var description: String {
        "acknowledged writes lost \(lost), notices missed \(missed), effects of a call twice \(twice), "
            + "effects of failed calls \(hidden), unexpected errors \(unexpected)"
    }
}

/// Writers that increase counters while parts of the system fail, and two instances that show the counters: the writers' own and another.
///
/// Each writer repeats a call under the same key until it is acknowledged. In between it makes calls without a key, which it doesn't
/// repeat: they show that the library doesn't repeat a transaction that may have been committed. A call that hangs exceeds the time limit
/// of the test.
final class FaultBench: Sendable {
    static let isLong = ProcessInfo.processInfo.environment["QUERYKIT_LONG"] != nil

    private enum Outcome {
        case done, failed, unknown
    }

    private struct State {
        var acknowledged: [Int: Int] = [:]
        var total = 0
        /// The outcomes of the calls without a key.
        var outcomes: [String: Outcome] = [:]
        var isOver = false
        var unexpected: [String] = []
        var waiting: [(total: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    let own: CounterInstance
    let other: CounterInstance
    /// Isn't followed, and isn't affected by the faults of the other two unless the server is.
    let admin: PostgresDatabase

    private init(_ own: CounterInstance, _ other: CounterInstance, _ admin: PostgresDatabase) {
        self.own = own
        self.other = other
        self.admin = admin
    }

    /// Lets four writers write while a closure causes faults, and checks the results afterwards.
    static func run(at url: String, _ fail: (FaultBench) async throws -> Void) async throws -> FaultTally {
        let own = try await CounterInstance.open(url)
        let other = try await CounterInstance.open(url)
        var configuration = PostgresDatabase.Configuration()
        configuration.isFollowed = false
        let bench = FaultBench(own, other, try await PostgresDatabase.open(url, configuration: configuration))
        let writers = 1...4
        for instance in [own, other] { await instance.watch([CounterInstance.fence] + writers) }
        try await withThrowingDiscardingTaskGroup { group in
            for writer in writers { group.addTask { await bench.write(as: writer) } }
            defer { bench.stop() }
            try await fail(bench)
        }
        let tally = try await bench.tally(writers)
        for instance in [own, other] { await instance.close() }
        await bench.admin.close()
        return tally
    }

    // MARK: Writers

    private func write(as writer: Int) async {
        var number = 0
        while !state.withLock({ $0.isOver }) {
            number += 1
            await tryOnce("\(writer).\(number)")
            while await !succeeds("\(writer).\(number)", writer) {}
            let ready = state.withLock { state in
                state.acknowledged[writer, default: 0] += 1
                state.total += 1
                defer { state.waiting.removeAll { $0.total <= state.total } }
                return state.waiting.filter { $0.total <= state.total }
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }

    private func tryOnce(_ call: String) async {
        var outcome = Outcome.done
        do {
            try await own.database.write { db in try await db.execute("INSERT INTO effects VALUES (\(call))") }
        } catch {
            outcome = (error as? PostgresError)?.code == .outcomeUnknown ? .unknown : .failed
        }
        state.withLock { $0.outcomes[call] = outcome }
    }

    private func succeeds(_ key: String, _ writer: Int) async -> Bool {
        do {
            try await own.database.increase(writer, once: key)
            return true
        } catch let error as PostgresError where [.unavailable, .outcomeUnknown, .timeout].contains(error.code) {
            return false
        } catch {
            return state.withLock { state in
                state.unexpected.append("\(error)")
                // Otherwise the call would be repeated for ever.
                return state.unexpected.count > 100
            }
        }
    }

    /// Waits until so many more calls were acknowledged.
    func progress(by count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiting.append(($0.total + count, continuation)) }
        }
    }

    private func stop() { state.withLock { $0.isOver = true } }

    // MARK: Faults

    /// The server processes of all connections to the database, except the own one.
    func processes() async throws -> [Int] {
        try await admin.read { db in
            try await db.values("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
        }
    }

    func terminate(_ process: Int) async throws {
        _ = try await admin.read { db in try await db.value(Bool.self, "SELECT pg_terminate_backend(\(process)::integer)") }
    }

    /// Stops a server process for some time, as a debugger or an overloaded machine does.
    static func stall(_ process: Int, for duration: DispatchTimeInterval) async {
        kill(pid_t(process), SIGSTOP)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + duration) {
                kill(pid_t(process), SIGCONT)
                continuation.resume()
            }
        }
    }

    // MARK: Results

    private func tally(_ writers: ClosedRange<Int>) async throws -> FaultTally {
        var tally = FaultTally(unexpected: state.withLock { $0.unexpected })
        let acknowledged = state.withLock { $0.acknowledged }
        try await admin.increase(CounterInstance.fence)
        let values = try await admin.counters()
        for writer in writers {
            let (value, count) = (values[writer, default: 0], acknowledged[writer, default: 0])
            tally.lost += max(0, count - value)
            tally.twice += max(0, value - count)
        }
        try await addEffects(to: &tally)
        for instance in [own, other] {
            await instance.wait(forFence: 1)
            for writer in writers {
                let state = instance.store(writer).state
                // A store that failed to read knows that it is outdated.
                if state.value != values[writer], state.error == nil, !state.isInvalidated { tally.missed += 1 }
                if try await instance.store(writer).fetch() != values[writer] { tally.unexpected.append("a fetch returned an old value") }
            }
        }
        return tally
    }

    /// Compares the calls without a key with their effects.
    private func addEffects(to tally: inout FaultTally) async throws {
        let rows = try await admin.read { db in
            try await db.map("SELECT call, count(*) FROM effects GROUP BY call") { row in (try row[0] as String, try row[1] as Int) }
        }
        let counts = Dictionary(uniqueKeysWithValues: rows)
        for (call, outcome) in state.withLock({ $0.outcomes }) {
            let count = counts[call, default: 0]
            tally.twice += max(0, count - 1)
            switch outcome {
            case .done: tally.lost += count == 0 ? 1 : 0
            case .failed: tally.hidden += count
            case .unknown: break
            }
        }
    }
}
#endif
