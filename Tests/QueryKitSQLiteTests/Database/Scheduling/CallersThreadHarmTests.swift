import Dispatch
import Foundation
import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

/// Reads on callers' threads leave threads for other tasks, with any number of cores, and even if they turn out to be slow.
struct CallersThreadHarmTests {
    /// Counts the reads that are on callers' threads at this moment.
    private struct Reads {
        var count = 0
        var most = 0
        var total = 0
        var longEnds = 0

        mutating func begin() {
            count += 1
            total += 1
            most = max(most, count)
        }
    }

    @Test(arguments: [1, 2, 8])
    func `D1 if 8 rows and a long count are read at one place, no long read ends on a caller's thread`(cores: Int) async throws {
        let database = try await SQLiteDatabase.make(.temporary, "CREATE TABLE t (a INTEGER PRIMARY KEY)") {
            $0.readerCount = 4
            $0.callersThreads = CallersThreadLimiter(cores: cores)
        }
        try await database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) INSERT INTO t SELECT i FROM n"
        )
        let reads = Lock(Reads())
        @Sendable func read(_ sql: SQL, isLong: Bool) async throws {
            try await database.read(isolation: nil) { db in
                let isHere = withUnsafeCurrentTask { $0 != nil }
                if isHere { reads.withLock { $0.begin() } }
                defer { if isHere { reads.withLock { $0.count -= 1 } } }
                _ = try db.values(Int.self, sql)
                if isHere, isLong { reads.withLock { $0.longEnds += 1 } }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    // On a busy machine many short reads are slow.
                    for round in 0..<200 where round < 3 || cores > 1 && reads.withLock({ $0.total < 100 }) {
                        for first in 0..<32 { try await read("SELECT a FROM t WHERE a > \(first) LIMIT 8", isLong: false) }
                        // About 190 ms.
                        try await read("SELECT count(*) FROM t AS x JOIN t AS y ON y.a < x.a WHERE x.a < \(4_000)", isLong: true)
                    }
                }
            }
            try await group.waitForAll()
        }
        let all = reads.withLock(\.self)
        #expect(all.longEnds == 0)
        // One of them may be tiny.
        #expect(all.most <= (cores == 1 ? 0 : cores))
        #expect(cores == 1 ? all.total == 0 : all.total >= 100)
        await database.close()
    }

    // A process of its own, because other tests use the threads of the pool, too.
    @Test func `D1 while as many quick reads as possible block callers' threads, all other tasks run`() async {
        await #expect(processExitsWith: .success) { try await blockCallersThreads() }
    }

    #if os(Linux)
        @Test(arguments: [false, true])
        func `D1 tiny reads on the last thread let other tasks run, without a lane, even if they throw`(throwing: Bool) async throws {
            let limiter = CallersThreadLimiter(cores: 2)
            let database = try await SQLiteDatabase.make(.temporary) {
                $0.callersThreads = limiter
                $0.callersThreadLimit = .milliseconds(50)
            }
            // Another read uses the first core.
            try #require(limiter.enter(nil, acceptsLast: true) == .quick)
            let (thread, turns, isOver) = (OneThread(), Lock(0), Lock(false))
            let other = Task(executorPreference: thread) {
                while !isOver.withLock(\.self) {
                    turns.withLock { $0 += 1 }
                    await Task.yield()
                }
            }
            let reader = Task(executorPreference: thread) {
                var (turnsBetween, readCount) = (0, 0)
                while turnsBetween < 3 {
                    let before = turns.withLock(\.self)
                    let isHere = Lock(false)
                    let isFailing = throwing && readCount > 1_000
                    try? await database.read(isolation: nil) { db in
                        _ = try db.value(Int.self, "SELECT 1")
                        isHere.withLock { $0 = withUnsafeCurrentTask { $0 != nil } }
                        if isFailing { throw TestError() }
                    }
                    readCount += 1
                    if isFailing || !throwing, isHere.withLock(\.self), turns.withLock(\.self) > before { turnsBetween += 1 }
                }
            }
            await reader.value
            isOver.withLock { $0 = true }
            await other.value
            limiter.leave(after: 0)
            await database.close()
        }

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: taskset), "The system has no taskset."))
        func `D1 on one core all other tasks run, too, while quick reads block callers' threads`() async {
            await #expect(processExitsWith: .success) {
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
                let cores = status.first { $0.hasPrefix("Cpus_allowed_list:") }
                guard let core = cores?.split(whereSeparator: { !$0.isNumber }).first else { preconditionFailure("\(status)") }
                let limiting = try Process.run(
                    URL(filePath: taskset),
                    arguments: ["--all-tasks", "--cpu-list", "--pid", String(core), String(getpid())]
                )
                limiting.waitUntilExit()
                precondition(limiting.terminationStatus == 0)
                try await blockCallersThreads()
            }
        }
    #endif

    #if canImport(Glibc)
        @Test(.enabled("The file system keeps all files in memory.") { try ColdFile.isSupported() }, arguments: [(1, 1), (200, 2)])
        func `D1 when its pages have left memory, a statement is slow only once or twice on a caller's thread before it uses a lane`(
            quickReads: Int,
            most: Int
        ) async throws {
            let limit = Duration.microseconds(500)
            let file = try await ColdFile {
                $0.callersThreads = CallersThreadLimiter(limit: 64)
                $0.callersThreadLimit = limit
            }
            let runs = Recorder<Run>()
            @Sendable func read() async throws {
                try await file.database.read(isolation: nil) { db in
                    let (start, blocks) = (ContinuousClock.now, ColdFile.blocksReadByThisThread())
                    let isHere = withUnsafeCurrentTask { $0 != nil }
                    let isLate = monotonicNanoseconds() - (db.placement?.start ?? 0) > ReadPlacement.restartLimit
                    defer {
                        let isSlow = ColdFile.blocksReadByThisThread() > blocks && ContinuousClock.now - start > limit
                        runs.note(Run(isHere: isHere, isLate: isLate, isSlow: isSlow))
                    }
                    _ = try db.value(Int.self, ColdFile.sql)
                }
            }
            var slowCount = 0
            // On a busy machine the last quick read may have been slow. It may also suspend a thread for so long before a statement that
            // the closure is not called again on a lane.
            while slowCount == 0 || runs.all.contains(where: \.isLate) {
                var quickReadsHere = 0
                repeat {
                    _ = runs.take()
                    try await read()
                    if runs.last?.isHere == true { quickReadsHere += 1 }
                } while runs.last?.isHere != true || quickReadsHere < quickReads
                _ = runs.take()
                // Fewer than the quick reads on a lane after which callers' threads are used again.
                for _ in 0..<15 {
                    file.removeFromMemory()
                    try await read()
                }
                slowCount = runs.all.count { $0.isHere && $0.isSlow }
            }
            #expect(slowCount <= most)
            // All reads after it wait for the disk on a lane.
            #expect(runs.all.count { !$0.isHere && $0.isSlow } > 0)
            await file.database.close()
        }
    #endif
}

/// A call of a closure that reads one statement.
private struct Run {
    /// Whether it began on its caller's thread.
    let isHere: Bool
    /// Whether its thread was suspended before the statement.
    let isLate: Bool
    /// Whether the statement waited for the disk, and exceeded the limit.
    let isSlow: Bool
}

#if os(Linux)
    private let taskset = "/usr/bin/taskset"
#endif

/// Blocks all callers' threads on which reads may run, and awaits other tasks.
private func blockCallersThreads() async throws {
    let count = ProcessInfo.processInfo.activeProcessorCount - 1
    let database = try await SQLiteDatabase.make(.temporary) {
        $0.readerCount = count + 1
        $0.callersThreadLimit = .milliseconds(50)
    }
    let isBlocking = Lock(false)
    let (blocked, goOn) = (Recorder<Int>(), DispatchSemaphore(value: 0))
    @Sendable func read(_ number: Int) async throws -> Bool {
        try await database.read(isolation: nil) { db in
            // Quick but not tiny: a tiny read may use the last thread.
            _ = try db.value(
                Int.self,
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT max(i) FROM n"
            )
            let isHere = withUnsafeCurrentTask { $0 != nil }
            if isHere, isBlocking.withLock(\.self) {
                blocked.note(number)
                goOn.wait()
            }
            return isHere
        }
    }
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        guard ended.wait(timeout: .now() + .seconds(120)) == .success else { preconditionFailure("\(blocked.count) reads block all tasks") }
    }
    isBlocking.withLock { $0 = true }
    let readers = (0..<count + 8).map { number in
        Task {
            while isBlocking.withLock(\.self) { _ = try await read(number) }
        }
    }
    while blocked.count < count { await Task.yield() }
    for number in 0..<1_000 {
        let same = await Task { number }.value
        precondition(same == number && blocked.count == count)
    }
    isBlocking.withLock { $0 = false }
    for _ in 0..<count { goOn.signal() }
    for reader in readers { try await reader.value }
    await database.close()
    ended.signal()
}

#if os(Linux)
    /// Runs tasks on a single thread.
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "OneThread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
#endif
