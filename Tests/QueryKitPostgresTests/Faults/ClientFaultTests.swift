#if Postgres
import Foundation
import PostgresTestSupport
import QueryKit
import QueryKitPostgres
import TestSupport
import Testing

/// Processes that write are killed at random moments.
@Suite(
    .enabled(if: PostgresServer.url != nil, "make test-postgres starts a server"),
    .timeLimit(.minutes(FaultBench.isLong ? 15 : 3))
)
struct ClientFaultTests {
    /// The calls of a process, as it has written them into a file: those that it has begun, and those that were acknowledged.
    struct Journal {
        let file: URL

        func note(_ line: String) throws {
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("\(line)\n".utf8))
            try handle.close()
        }

        private func numbers(_ word: String) throws -> [Int] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.count == 2 && words[0] == word ? Int(words[1]) : nil
            }
        }

        var begun: [Int] { get throws { try numbers("begun") } }
        var done: [Int] { get throws { try numbers("done") } }
    }

    /// Repeats the last call if its outcome is unknown, continues with others, and is killed after some of them.
    static func write(to url: String, noting path: String, killedAfter count: Int, and delay: Int) async throws {
        let journal = Journal(file: URL(filePath: path))
        let instance = try await CounterInstance.open(url)
        await instance.watch([1])
        var number = max(1, try journal.begun.max() ?? 0)
        if try journal.done.contains(number) { number += 1 }
        for round in 0... {
            if round == count {
                DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(delay)) { kill(getpid(), SIGKILL) }
            }
            try journal.note("begun \(number)")
            try await instance.database.increase(1, once: "\(number)")
            try journal.note("done \(number)")
            number += 1
        }
    }

    @Test func `a process that is killed repeats its last call after the relaunch, and each call has its effect once`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        try Data().write(to: URL(filePath: path))
        try await PostgresServer.withDatabase { url in
            let watcher = try await CounterInstance.open(url)
            await watcher.watch([CounterInstance.fence, 1])
            for round in 0..<(FaultBench.isLong ? 100 : 5) {
                let (count, delay) = (Int.random(in: 0...5), Int.random(in: 0...5_000))
                await #expect(processExitsWith: .signal(SIGKILL), "round \(round)") {
                    [url = url as String, path = path as String, count = count as Int, delay = delay as Int] in
                    try await ClientFaultTests.write(to: url, noting: path, killedAfter: count, and: delay)
                }
            }
            let journal = Journal(file: URL(filePath: path))
            let keys = try await watcher.database.read { db in
                Set(try await db.values(String.self, "SELECT key FROM calls").compactMap { Int($0) })
            }
            let value = try await watcher.database.counters()[1] ?? 0
            #expect(Set(try journal.done).subtracting(keys).isEmpty, "acknowledged writes were lost")
            #expect(value == keys.count, "a call had its effect twice")
            #expect(value >= (FaultBench.isLong ? 100 : 5))
            try await CounterInstance.raiseFence(at: url)
            await watcher.wait(forFence: 1)
            #expect(watcher.store(1).value == value, "a notice was missed")
            await watcher.close()
        }
    }
}
#endif
